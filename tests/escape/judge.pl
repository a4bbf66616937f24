#!/usr/bin/perl
# judge.pl: turn the lines of attack(s) into assertions, one a check number.
#
#	judge.pl control LABEL LINES KNOWN		each attempt must have succeeded; KNOWN lists
#							those whose control is impossible, and why
#	judge.pl sandbox LABEL LINES RESULT NUMBERS	each attempt must be blocked, or the result
#							must name all of its layers as missing
#	judge.pl layers LABEL RESULT MUST MAY		missing has all of MUST and nothing but MUST
#							and MAY; "-" is the empty list
#	judge.pl field RESULT NAME...			values of the result, one a line
#
# Prints "0 NAME" for what holds, "1 NAME" for what does not, "# TEXT" in between.
use strict;
use warnings;
use JSON::PP;

sub slurp {
	my ($path) = @_;
	open(my $file, '<', $path) or return '';
	local $/;
	my $text = <$file>;
	return defined $text ? $text : '';
}

sub result_of {
	my ($path) = @_;
	my $result = eval { JSON::PP->new->utf8->decode(slurp($path)) };
	return ref $result eq 'HASH' ? $result : {};
}

# Returns a list of [number, attempt, verdict, layers, rest].
sub attempts_of {
	my ($path) = @_;
	my @attempts;
	for my $line (split /\n/, slurp($path)) {
		next unless $line =~ /^(blocked|succeeded|n\/a|error): ((\d*)\S*) \[(\S*)\] ?(.*)$/;
		push @attempts, [$3, $2, $1, [split /\+/, $4], $5];
	}
	return @attempts;
}

# Prints one assertion a number; $check->(attempt) returns undef or what is wrong.
sub judge {
	my ($label, $what, $attempts, $check) = @_;
	my (%count, %bad, @order);
	for my $attempt (@$attempts) {
		my $number = $attempt->[0];
		push @order, $number unless $count{$number}++;
		my $wrong = $check->($attempt);
		push @{$bad{$number}}, "$attempt->[1]: $wrong" if defined $wrong;
	}
	for my $number (@order) {
		my $bad = $bad{$number} || [];
		print "# $_\n" for @$bad;
		printf "%d %s: %s %s (%d attempts)\n", @$bad ? 1 : 0, $label, $number, $what,
		    $count{$number};
	}
	return \%count;
}

sub judge_control {
	my ($label, $lines, $known_path) = @_;
	my %known = map { /^(\S+)\s+(.*)$/ ? ($1 => $2) : () } split /\n/, slurp($known_path);
	my @attempts = attempts_of($lines);
	my (%worked, %excused);
	my $count = judge($label, 'works without a sandbox', \@attempts, sub {
		my ($number, $name, $verdict, undef, $rest) = @{$_[0]};
		if ($verdict eq 'succeeded') {
			$worked{$number} = 1;
			return undef;
		}
		if ($known{$name} && $verdict ne 'error') {
			push @{$excused{$known{$name}}}, $name;
			return undef;
		}
		return "$verdict: $rest";
	});
	print "# no control possible ($_): @{$excused{$_}}\n" for sort keys %excused;
	# A number whose every attempt is excused has proved nothing.
	for my $number (sort keys %$count) {
		print "1 $label: nothing of $number works\n" unless $worked{$number};
	}
	print "1 $label: no attack ran\n" unless @attempts;
}

sub missing_of {
	my ($result) = @_;
	return map { $_->{layer} => 1 } @{$result->{layers}{missing} || []};
}

sub judge_sandbox {
	my ($label, $lines, $result_path, $numbers) = @_;
	my $result = result_of($result_path);
	my %missing = missing_of($result);
	my @attempts = attempts_of($lines);
	my $count = judge($label, 'blocked', \@attempts, sub {
		my (undef, $name, $verdict, $layers, $rest) = @{$_[0]};
		return undef if $verdict eq 'blocked' || $verdict eq 'n/a';
		return "$verdict: $rest" if $verdict eq 'error' || !@$layers;
		return undef unless grep { !$missing{$_} } @$layers;
		return "$verdict: $rest (and missing does not name @$layers)";
	});
	for my $number (split /,/, $numbers) {
		next if $count->{$number};
		my $message = $result->{error_message} || 'no line';
		print "1 $label: $number did not run: $message\n";
	}
}

sub judge_layers {
	my ($label, $result_path, $must, $may) = @_;
	my $result = result_of($result_path);
	my %missing = missing_of($result);
	my @must = $must eq '-' ? () : split /,/, $must;
	my %allowed = map { $_ => 1 } @must, $may eq '-' ? () : split(/,/, $may);
	my @wrong;
	push @wrong, 'there is no result' unless exists $result->{layers};
	push @wrong, map { "not named as missing: $_" } grep { !$missing{$_} } @must;
	push @wrong, map { "missing without need: $_" } grep { !$allowed{$_} } sort keys %missing;
	push @wrong, map { "missing without a reason: $_->{layer}" }
	    grep { !length($_->{why} || '') } @{$result->{layers}{missing} || []};
	print "# $_\n" for @wrong;
	printf "%d %s: the layers are told truly\n", @wrong ? 1 : 0, $label;
}

my ($mode, @rest) = @ARGV;
if ($mode eq 'control') {
	judge_control(@rest);
} elsif ($mode eq 'sandbox') {
	judge_sandbox(@rest);
} elsif ($mode eq 'layers') {
	judge_layers(@rest);
} elsif ($mode eq 'field') {
	my $result = result_of(shift @rest);
	my $json = JSON::PP->new->canonical->allow_nonref->utf8;
	for my $name (@rest) {
		my $value = $result->{$name};
		print ref $value ? $json->encode($value) : defined $value ? $value : 'null', "\n";
	}
} else {
	die "judge.pl: no mode\n";
}
