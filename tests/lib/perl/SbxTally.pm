# prove --formatter SbxTally: one line a program, on a terminal too; at the end
# "passed failed skipped" is appended to the file $SBX_TALLY, counted by the TAP parser itself.
# A program that died, broke its plan or exited non-zero counts as one failure at least.
package SbxTally;
use strict;
use warnings;
use parent 'TAP::Formatter::File';

sub summary {
	my ($self, $aggregate, $interrupted) = @_;
	$self->SUPER::summary($aggregate, $interrupted);
	my ($passed, $failed, $skipped) = (0, $interrupted ? 1 : 0, 0);
	for my $parser ($aggregate->parsers) {
		my $bad = scalar($parser->failed);
		$bad = 1 if !$bad && $parser->has_problems;
		$failed += $bad;
		$skipped += scalar($parser->skipped) + ($parser->skip_all ? 1 : 0);
		$passed += scalar($parser->actual_passed) - scalar($parser->skipped);
	}
	open(my $tally, '>>', $ENV{SBX_TALLY}) or die "$ENV{SBX_TALLY}: $!\n";
	print {$tally} "$passed $failed $skipped\n";
	close($tally);
}

1;
