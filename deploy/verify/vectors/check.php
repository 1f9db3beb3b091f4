<?php
// Runs the PHP verifier on the vectors: php check.php
declare(strict_types=1);

require __DIR__ . '/../fairgate-verify.php';

$vectors = json_decode(file_get_contents(__DIR__ . '/vectors.json'), true);
$failures = 0;
foreach ($vectors['passes'] as $case) {
    $verdict = fairgate_verify_pass($case['token'], $vectors, $vectors['now']);
    $given = $verdict['ok'] ? 'ok' : $verdict['reason'];
    if ($given !== $case['expected']) {
        $failures++;
        echo "FAILED {$case['name']}: expected {$case['expected']}, not $given\n";
    }
}
echo count($vectors['passes']) - $failures, " passed, $failures failed\n";
exit($failures === 0 ? 0 : 1);
