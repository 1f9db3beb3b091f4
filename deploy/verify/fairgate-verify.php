<?php
// Checks passes of Fairgate's waiting rooms with PHP 7.4 or later and its extension openssl.
//
//   require 'fairgate-verify.php';
//   $verdict = fairgate_verify_pass($token, ['room' => 'tour', 'keys' => $jwks['keys'], 'epoch' => 7, 'revoked' => []], time());
//   if (!$verdict['ok']) { ... $verdict['reason'] ... }
//
// 'keys' are JSON Web Keys: the public keys of /.well-known/fairgate/{room}/jwks.json, or with HS256 the key of the room, epoch
// and token type as ['kty' => 'oct', 'alg' => 'HS256', 'kid' => 'tour.7', 'typ' => 'fg-pass+jwt', 'k' => '...'].
declare(strict_types=1);

const FAIRGATE_MAX_TOKEN = 1024;
const FAIRGATE_MAX_CLOCK_SKEW_SECONDS = 30;

/** Checks the pass of a visitor, the value of the pass cookie. */
function fairgate_verify_pass(string $token, array $trust, int $now): array
{
    $refused = fn(string $reason): array => ['ok' => false, 'reason' => $reason];
    $parsed = fairgate_parse($token);
    if ($parsed === null) {
        return $refused('malformed');
    }
    ['header' => $header, 'claims' => $claims, 'signature' => $signature, 'signed' => $signed] = $parsed;
    $members = array_keys($header);
    sort($members);
    if ($members !== ['alg', 'kid', 'typ']) {
        return $refused('malformed');
    }
    if ($header['typ'] !== 'fg-pass+jwt') {
        return $refused('wrong_type');
    }
    $key = null;
    foreach ($trust['keys'] as $each) {
        if (($each['kid'] ?? null) === $header['kid'] && ($each['typ'] ?? null) === $header['typ']) {
            $key = $each;
        }
    }
    if ($key === null) {
        return $refused('unknown_key');
    }
    $kind = ($key['alg'] ?? '') . ' ' . ($key['kty'] ?? '');
    if ($header['alg'] !== ($key['alg'] ?? null) || !in_array($kind, ['ES256 EC', 'HS256 oct'], true)) {
        return $refused('wrong_algorithm');
    }
    $valid = $key['alg'] === 'ES256'
        ? fairgate_es256_is_valid($key, $signature, $signed)
        : fairgate_hs256_is_valid($key, $signature, $signed);
    if (!$valid) {
        return $refused('bad_signature');
    }
    foreach (['ep', 't', 'iat', 'exp'] as $name) {
        if (!is_int($claims[$name] ?? null) || $claims[$name] < 0) {
            return $refused('malformed');
        }
    }
    if (!is_string($claims['jti'] ?? null)) {
        return $refused('malformed');
    }
    if (($claims['aud'] ?? null) !== $trust['room']) {
        return $refused('other_room');
    }
    if ($claims['ep'] !== $trust['epoch']) {
        return $refused('old_epoch');
    }
    if ($claims['iat'] > $now + FAIRGATE_MAX_CLOCK_SKEW_SECONDS) {
        return $refused('not_yet_valid');
    }
    if ($claims['exp'] <= $now) {
        return $refused('expired');
    }
    if (in_array($claims['jti'], $trust['revoked'] ?? [], true)) {
        return $refused('revoked');
    }
    return ['ok' => true, 'claims' => $claims];
}

/** The parts of a compact JWS; null when it is malformed. */
function fairgate_parse(string $token): ?array
{
    $parts = strlen($token) > FAIRGATE_MAX_TOKEN ? [] : explode('.', $token);
    if (count($parts) !== 3) {
        return null;
    }
    [$header, $claims, $signature] = array_map('fairgate_decode', $parts);
    if ($header === null || $claims === null || $signature === null) {
        return null;
    }
    $header = fairgate_json_object($header);
    $claims = fairgate_json_object($claims);
    if ($header === null || $claims === null) {
        return null;
    }
    return ['header' => $header, 'claims' => $claims, 'signature' => $signature, 'signed' => "$parts[0].$parts[1]"];
}

/** The bytes of base64url without padding; null for any other spelling of the same bytes. */
function fairgate_decode($text): ?string
{
    if (!is_string($text) || preg_match('/\A[A-Za-z0-9_-]+\z/', $text) !== 1) {
        return null;
    }
    $bytes = base64_decode(strtr($text, '-_', '+/'), true);
    if ($bytes === false || rtrim(strtr(base64_encode($bytes), '+/', '-_'), '=') !== $text) {
        return null;
    }
    return $bytes;
}

function fairgate_json_object(string $json): ?array
{
    $value = json_decode($json, true, 8);
    return is_array($value) && ltrim($json)[0] === '{' ? $value : null;
}

function fairgate_hs256_is_valid(array $key, string $signature, string $signed): bool
{
    $secret = fairgate_decode($key['k'] ?? null);
    return $secret !== null && strlen($secret) >= 32
        && hash_equals(hash_hmac('sha256', $signed, $secret, true), $signature);
}

function fairgate_es256_is_valid(array $key, string $signature, string $signed): bool
{
    $x = fairgate_decode($key['x'] ?? null);
    $y = fairgate_decode($key['y'] ?? null);
    if (($key['crv'] ?? null) !== 'P-256' || strlen((string) $x) !== 32 || strlen((string) $y) !== 32 || strlen($signature) !== 64) {
        return false;
    }
    // A public key of P-256 in X.509: this prefix, then the point.
    $der = hex2bin('3059301306072a8648ce3d020106082a8648ce3d030107034200') . "\x04" . $x . $y;
    $pem = "-----BEGIN PUBLIC KEY-----\n" . chunk_split(base64_encode($der), 64, "\n") . "-----END PUBLIC KEY-----\n";
    $public = openssl_pkey_get_public($pem);
    if ($public === false) {
        return false;
    }
    $integers = fairgate_der_integer(substr($signature, 0, 32)) . fairgate_der_integer(substr($signature, 32));
    return openssl_verify($signed, "\x30" . chr(strlen($integers)) . $integers, $public, OPENSSL_ALGO_SHA256) === 1;
}

/** An unsigned number in DER. */
function fairgate_der_integer(string $bytes): string
{
    $bytes = ltrim($bytes, "\0");
    if ($bytes === '' || ord($bytes[0]) > 127) {
        $bytes = "\0" . $bytes;
    }
    return "\x02" . chr(strlen($bytes)) . $bytes;
}
