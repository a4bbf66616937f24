#!/usr/bin/perl
# judge.pl: what inside.sh left in a folder, as assertions: "0 NAME" holds, "1 NAME" does not,
# "# TEXT" tells more.
#
#	judge.pl LABEL FOLDER BACKEND MISSING	BACKEND is what auto must find, MISSING the layers
#						that it must name as missing, "a,b" or "-"
#	judge.pl auto LABEL FOLDER BACKEND MISSING	the automatic run alone, and what the
#						probe says of it
#	judge.pl row LABEL FOLDER		the README's row of the automatic run
#	judge.pl controls LABEL LINES NUMBERS	attacks without a sandbox: each number must have an
#						attempt that succeeds
use strict;
use warnings;
use JSON::PP;

# What cannot be told from inside: had by nobody outside either.
my %untold = map { $_ => 1 } qw(capabilities no_new_privs);

sub slurp {
	my ($path) = @_;
	open(my $file, '<', $path) or return '';
	local $/;
	my $text = <$file>;
	return defined $text ? $text : '';
}

sub parse {
	my ($text) = @_;
	my $object = eval { JSON::PP->new->utf8->decode($text) };
	return ref $object eq 'HASH' ? $object : {};
}

sub ok {
	my ($holds, $name, @why) = @_;
	print map { "# $_\n" } $holds ? () : map { split /\n/ } @why;
	printf "%d %s\n", $holds ? 0 : 1, $name;
}

sub missing_of {
	my ($result) = @_;
	return map { $_->{layer} => $_->{why} // '' } @{$result->{layers}{missing} || []};
}

# Facts of the result's stdout: layer => [answer, detail].
sub facts_of {
	my ($result) = @_;
	my %facts;
	for my $line (split /\n/, $result->{stdout} // '') {
		$facts{$1} = [$2, $3] if $line =~ /^(\w+) (yes|no|unknown) (.*)$/;
	}
	return %facts;
}

# What is told of each layer against what was seen of it.
sub judge_layers {
	my ($label, $result) = @_;
	my %missing = missing_of($result);
	my %applied = map { $_ => 1 } @{$result->{layers}{applied} || []};
	my %facts = facts_of($result);
	my @wrong;
	push @wrong, 'no facts' unless keys %facts >= 16;
	for my $layer (sort keys %facts) {
		my ($answer, $detail) = @{$facts{$layer}};
		my $told = $applied{$layer} ? 'yes' : 'no';
		push @wrong, "$layer is neither applied nor missing"
		    unless $applied{$layer} || exists $missing{$layer};
		push @wrong, "$layer is both applied and missing"
		    if $applied{$layer} && exists $missing{$layer};
		next if $answer eq $told || ($answer eq 'unknown' && $untold{$layer});
		push @wrong, "$layer: told $told, seen $answer ($detail)";
	}
	push @wrong, map { "$_ is missing without a reason" }
	    grep { !length $missing{$_} } sort keys %missing;
	push @wrong, 'die_with_runner is missing' unless $applied{die_with_runner};
	ok(!@wrong, "$label: the layers are told truly", @wrong);
}

sub is_run {
	my ($result) = @_;
	return ($result->{reason} // '') eq 'exit' && $result->{exit_code} == 0;
}

sub explain {
	my ($result) = @_;
	return "it says: " . ($result->{error_message} || $result->{stderr} || 'nothing');
}

sub judge_auto {
	my ($label, $runs, $backend, $want) = @_;
	my $result = $runs->{auto};
	my %missing = missing_of($result);
	my $got = join(',', sort keys %missing) || '-';
	$want = join(',', sort split /,/, $want);
	ok(is_run($result), "$label: auto runs a command", explain($result));
	ok(($result->{backend} // '') eq $backend, "$label: auto finds $backend",
	    'it took ' . ($result->{backend} // 'none'));
	ok($got eq $want, "$label: missing is $want", "it says $got");
	judge_layers("$label: auto", $result);
}

# A named backend runs and tells the truth, or is refused by name with one line.
sub judge_named {
	my ($label, $runs, $folder) = @_;
	for my $backend (qw(namespace bubblewrap landlock native)) {
		my $result = $runs->{$backend};
		if (is_run($result)) {
			ok($result->{backend} eq $backend, "$label: $backend is that backend");
			judge_layers("$label: $backend", $result);
			next;
		}
		my $rc = slurp("$folder/$backend.rc") + 0;
		my @lines = grep { !/warning: / } split /\n/, slurp("$folder/$backend.err");
		ok($rc == 125 && ($result->{error_message} || '') ne '' && @lines == 1,
		    "$label: $backend is refused in one line",
		    "rc $rc", @lines);
	}
}

sub judge_probe {
	my ($label, $runs) = @_;
	my $probe = $runs->{probe};
	my $reference = is_run($runs->{namespace}) ? 'namespace' : 'landlock';
	my %applied = map { $_ => 1 } @{$runs->{$reference}{layers}{applied} || []};
	my %is_limit = (memory => 1, pids => 1, cpu => 1);
	my %needs_namespace = map { $_ => 1 } qw(user_ns mount_ns pid_ns net_ns ipc_ns uts_ns
	    cgroup_ns view proc metadata);
	my (@wrong, $late);
	for my $row (@{$probe->{layers} || []}, @{$probe->{backends} || []}) {
		push @wrong, "$row->{name}: no evidence" unless length($row->{evidence} // '');
		push @wrong, "$row->{name}: no reason"
		    unless $row->{works} || length($row->{reason} // '');
	}
	for my $row (@{$probe->{layers} || []}) {
		next if $is_limit{$row->{name}};
		# A step has a second, which may be too little on a busy machine; that is told.
		next if $late++ < 3 && ($row->{reason} // '') =~ /did not answer within a second/;
		next if $reference ne 'namespace' && $needs_namespace{$row->{name}};
		push @wrong, "layer $row->{name}: the probe and a run with $reference differ"
		    if !!$row->{works} != !!$applied{$row->{name}};
	}
	for my $row (@{$probe->{backends} || []}) {
		push @wrong, "backend $row->{name}: the probe and a run differ"
		    if exists $runs->{$row->{name}} &&
		    !!$row->{works} != !!is_run($runs->{$row->{name}});
	}
	my ($said) = grep { $_->{name} eq 'namespace' } @{$probe->{backends} || []};
	push @wrong, 'no row for namespace' unless $said;
	push @wrong, 'namespace: no remedy'
	    if $said && !$said->{works} && !length($said->{remedy} // '');
	ok(!@wrong, "$label: the probe tells the truth", @wrong);
	judge_probe_auto($label, $runs);
}

sub judge_probe_auto {
	my ($label, $runs) = @_;
	my $probe = $runs->{probe};
	my @auto = ($runs->{auto}{backend} // '', sort @{$runs->{auto}{layers}{applied} || []});
	my @told = ($probe->{auto}{backend} // '', sort @{$probe->{auto}{applied} || []});
	ok("@auto" eq "@told", "$label: the probe tells what auto takes", "run: @auto",
	    "probe: @told");
}

sub judge_refusals {
	my ($label, $runs, $folder, $want) = @_;
	my $rc = slurp("$folder/strict.rc") + 0;
	my $message = $runs->{strict}{error_message} // '';
	if ($want eq '-') {
		ok($rc == 0, "$label: --strict is content", "rc $rc: $message");
	} else {
		ok($rc == 125 && $message =~ /required layer \w+ is missing: ./ &&
		    ($runs->{strict}{stdout} // '') eq '', "$label: --strict refuses",
		    "rc $rc: $message");
	}
	# A limit is kept, or not promised.
	for my $limit (qw(memory pids)) {
		my $result = $runs->{$limit};
		if (($result->{reason} // '') eq 'launch_error') {
			ok(slurp("$folder/$limit.rc") + 0 == 125 &&
			    $result->{error_message} =~ /^--$limit cannot be kept here: ./,
			    "$label: --$limit is refused, with the reason", explain($result));
			next;
		}
		ok((grep { $_ eq $limit } @{$result->{layers}{applied} || []}) &&
		    ($limit ne 'pids' || $result->{stderr} =~ /fork/),
		    "$label: --$limit is kept", explain($result));
	}
}

sub judge_nested {
	my ($label, $runs) = @_;
	my $outer = $runs->{nested};
	my $inner = parse($outer->{stdout} // '');
	my %missing = missing_of($outer);
	if (exists $missing{landlock}) { # an outer sandbox lets no namespaces be made
		ok($outer->{exit_code} == 125 && ($inner->{error_message} // '') =~ /^the native /,
		    "$label: sbx in sbx has nothing to isolate with, and refuses", explain($inner));
		return;
	}
	ok(is_run($outer), "$label: sbx runs in sbx", explain($outer));
	ok(is_run($inner) && ($inner->{backend} // '') =~ /^(namespace|landlock)$/,
	    "$label: the inner one isolates too", explain($inner));
	judge_layers("$label: the inner one", $inner);
}

sub judge_place {
	my ($label, $folder, $backend, $missing) = @_;
	my %runs = map { $_ => parse(slurp("$folder/$_.json")) }
	    qw(auto namespace bubblewrap landlock native probe strict memory pids nested project);
	ok(slurp("$folder/ended") eq "ended\n", "$label: the container ran to its end",
	    slurp("$folder/log"));
	judge_auto($label, \%runs, $backend, $missing);
	judge_named($label, \%runs, $folder);
	judge_probe($label, \%runs);
	judge_refusals($label, \%runs, $folder, $missing);
	judge_nested($label, \%runs);
	ok(is_run($runs{project}) && $runs{project}{stdout} =~ m{^(/out|\Q$folder\E)/project\n$} &&
	    slurp("$folder/project/made") eq "made\n" && !-e "$folder/escaped",
	    "$label: the project root is writable, what is beside it not", explain($runs{project}));
	ok(slurp("$folder/left") eq '', "$label: nothing is left", slurp("$folder/left"));
}

sub judge_controls {
	my ($label, $lines, $numbers) = @_;
	my %worked;
	for my $line (split /\n/, slurp($lines)) {
		$worked{$1}++ if $line =~ /^succeeded: (\d+)/;
	}
	for my $number (split /,/, $numbers) {
		ok($worked{$number}, "$label: $number works without a sandbox");
	}
}

sub row_of {
	my ($label, $folder) = @_;
	my $result = parse(slurp("$folder/auto.json"));
	my %missing = missing_of($result);
	my @namespaces = qw(user_ns mount_ns pid_ns net_ns ipc_ns uts_ns cgroup_ns);
	my @words;
	if (@namespaces == grep { exists $missing{$_} } @namespaces) {
		push @words, 'every namespace';
		delete @missing{@namespaces};
	}
	push @words, map { "`$_`" } sort keys %missing;
	my $backend = defined $result->{backend} ? "`$result->{backend}`" : 'none';
	return sprintf '| %s | %s | %s |', $label =~ s/: (--.*)/: `$1`/r, $backend,
	    join(', ', @words) || 'nothing';
}

my ($mode, @rest) = @ARGV;
if ($mode eq 'row') {
	print row_of(@rest), "\n";
} elsif ($mode eq 'auto') {
	my ($label, $folder, $backend, $missing) = @rest;
	my %runs = map { $_ => parse(slurp("$folder/$_.json")) } qw(auto probe);
	judge_auto($label, \%runs, $backend, $missing);
	judge_probe_auto($label, \%runs);
} elsif ($mode eq 'controls') {
	judge_controls(@rest);
} else {
	judge_place($mode, @rest);
}
