<?php
// A waiting room for a PHP shop without a proxy of its own, such as WooCommerce on rented web space. In wp-config.php, before
// everything else:
//
//   define('FAIRGATE_URL', 'http://10.0.0.5:8080');        // Fairgate, as this server reaches it
//   define('FAIRGATE_PAGE', 'https://wait.example.com');   // Fairgate, as browsers reach it
//   define('FAIRGATE_ROOM', 'shop');
//   require __DIR__ . '/fairgate-gate.php';
//
// Name this server in Fairgate's server.trusted_proxies. A visitor with a valid pass costs no call to Fairgate. Static files that
// the web server sends without PHP are not protected.
declare(strict_types=1);

require_once __DIR__ . '/fairgate-verify.php';

const FAIRGATE_TIMEOUT_SECONDS = 3;
const FAIRGATE_HEAD_SECONDS = 5;
const FAIRGATE_KEYS_SECONDS = 300;

if (PHP_SAPI !== 'cli') {
    fairgate_gate();
}

/** Returns if the request may pass; otherwise answers it and ends. */
function fairgate_gate(): void
{
    // A header of this name must come from here only.
    unset($_SERVER['HTTP_X_FAIRGATE_PASS']);
    $target = $_SERVER['REQUEST_URI'];
    if (strtok($target, '?') === '/q/' . FAIRGATE_ROOM . '/pass') {
        fairgate_relay(fairgate_call($target), ['location', 'set-cookie', 'referrer-policy']);
    }
    if (fairgate_has_lasting_pass()) {
        return;
    }
    $check = '/gate/check?room=' . FAIRGATE_ROOM . '&d=caddy&page=' . rawurlencode(FAIRGATE_PAGE);
    $answer = fairgate_call($check);
    if ($answer !== null && $answer['status'] === 204) {
        // A pass that was renewed, or given while the room is on standby.
        foreach ($answer['headers']['set-cookie'] ?? [] as $cookie) {
            header('Set-Cookie: ' . $cookie, false);
        }
        return;
    }
    fairgate_relay($answer, ['location', 'retry-after', 'content-type']);
}

/** Whether the visitor has a valid pass with half of its time left. */
function fairgate_has_lasting_pass(): bool
{
    $name = 'fairgate_pass_' . FAIRGATE_ROOM;
    $pass = $_COOKIE[fairgate_is_https() ? '__Host-' . $name : $name] ?? null;
    if (!is_string($pass)) {
        return false;
    }
    $head = fairgate_cached('/q/' . FAIRGATE_ROOM . '/head', FAIRGATE_HEAD_SECONDS);
    $jwks = fairgate_cached('/.well-known/fairgate/' . FAIRGATE_ROOM . '/jwks.json', FAIRGATE_KEYS_SECONDS);
    if (!isset($head['epoch'], $jwks['keys'])) {
        return false;
    }
    $trust = ['room' => FAIRGATE_ROOM, 'keys' => $jwks['keys'], 'epoch' => $head['epoch']];
    $verdict = fairgate_verify_pass($pass, $trust, time());
    return $verdict['ok'] && time() - $verdict['claims']['iat'] < $verdict['claims']['exp'] - time();
}

function fairgate_is_https(): bool
{
    return ($_SERVER['HTTPS'] ?? 'off') !== 'off';
}

/** A document of Fairgate, from a file that is at most this old; an older one while Fairgate is away. */
function fairgate_cached(string $path, int $seconds): ?array
{
    $file = sys_get_temp_dir() . '/fairgate-' . hash('sha256', __FILE__ . FAIRGATE_URL . $path) . '.json';
    // Another user of this machine must not give us keys.
    $owner = function_exists('posix_geteuid') ? posix_geteuid() : getmyuid();
    $known = is_file($file) && fileowner($file) === $owner ? (string) file_get_contents($file) : '';
    if ($known === '' || filemtime($file) + $seconds < time()) {
        $answer = fairgate_call($path);
        if ($answer !== null && $answer['status'] === 200) {
            $known = $answer['body'];
            $fresh = $file . '.' . getmypid();
            if (file_put_contents($fresh, $known) !== false) {
                rename($fresh, $file);
            }
        }
    }
    $value = json_decode($known, true);
    return is_array($value) ? $value : null;
}

/** Asks Fairgate about this request; null when it does not answer. */
function fairgate_call(string $path): ?array
{
    $headers = [
        'X-Forwarded-Method: ' . $_SERVER['REQUEST_METHOD'],
        'X-Forwarded-Proto: ' . (fairgate_is_https() ? 'https' : 'http'),
        'X-Forwarded-Host: ' . ($_SERVER['HTTP_HOST'] ?? ''),
        'X-Forwarded-Uri: ' . $_SERVER['REQUEST_URI'],
        'X-Forwarded-For: ' . $_SERVER['REMOTE_ADDR'],
        'Connection: close',
    ];
    $asked = ['ACCEPT', 'ACCEPT_LANGUAGE', 'COOKIE', 'SEC_FETCH_MODE', 'UPGRADE', 'X_REQUESTED_WITH', 'X_HTTP_METHOD',
        'X_HTTP_METHOD_OVERRIDE', 'X_METHOD_OVERRIDE'];
    foreach ($asked as $name) {
        if (isset($_SERVER['HTTP_' . $name])) {
            $headers[] = str_replace('_', '-', $name) . ': ' . $_SERVER['HTTP_' . $name];
        }
    }
    $options = ['http' => ['method' => 'GET', 'header' => $headers, 'timeout' => FAIRGATE_TIMEOUT_SECONDS,
        'ignore_errors' => true, 'follow_location' => 0, 'protocol_version' => 1.1]];
    $body = @file_get_contents(FAIRGATE_URL . $path, false, stream_context_create($options));
    if ($body === false || preg_match('#^HTTP/\S+ (\d{3})#', $http_response_header[0] ?? '', $status) !== 1) {
        return null;
    }
    $answer = ['status' => (int) $status[1], 'headers' => [], 'body' => $body];
    foreach (array_slice($http_response_header, 1) as $line) {
        [$name, $value] = explode(':', $line, 2) + [1 => ''];
        $answer['headers'][strtolower($name)][] = trim($value);
    }
    return $answer;
}

/** Gives Fairgate's answer to the browser and ends. Without an answer the shop stays closed. */
function fairgate_relay(?array $answer, array $names): void
{
    header('Cache-Control: no-store');
    if ($answer === null || $answer['status'] >= 500) {
        http_response_code(503);
        header('Retry-After: 5');
        header('Content-Type: text/plain');
        exit("The waiting room is not available. Please try again in a few seconds.\n");
    }
    http_response_code($answer['status']);
    foreach ($names as $name) {
        foreach ($answer['headers'][$name] ?? [] as $value) {
            header($name . ': ' . $value, false);
        }
    }
    exit($answer['body']);
}
