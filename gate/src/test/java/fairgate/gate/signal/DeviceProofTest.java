package fairgate.gate.signal;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.signal.DeviceProof.Expected;
import fairgate.gate.signal.DeviceProof.Result;
import java.util.Map;
import org.junit.jupiter.api.Test;

class DeviceProofTest {
  private static final long NOW = 1_764_590_400_000L;
  private static final Expected PURCHASE =
      new Expected("POST", "/api/purchase", Map.of("product_id", "7", "session_id", "s"));

  private final TestKey key = new TestKey();

  private static Result verify(String proof) {
    return DeviceProof.verify(proof, PURCHASE, NOW);
  }

  private static void refused(String proof, String reason) {
    assertThat(verify(proof)).as(proof).isEqualTo(new Result.Invalid(reason));
  }

  private static String payload(String htm, String htu, long iat, String more) {
    return "{\"htm\":\"%s\",\"htu\":\"%s\",\"iat\":%d,\"jti\":\"0123456789abcdef\",\"product_id\":\"7\"%s}"
        .formatted(htm, htu, iat, more);
  }

  private static final String HERE = "https://shop.example/api/purchase";
  private static final String SESSION = ",\"session_id\":\"s\"";

  @Test
  void theSampleKeyOfRfc9449HasTheThumbprintOfTheRfc() {
    // RFC 9449, sections 4.1 and 6.1: the key of its proofs, and its SHA-256 thumbprint.
    String proof =
        "eyJ0eXAiOiJkcG9wK2p3dCIsImFsZyI6IkVTMjU2IiwiandrIjp7Imt0eSI6Ik"
            + "VDIiwieCI6Imw4dEZyaHgtMzR0VjNoUklDUkRZOXpDa0RscEJoRjQyVVFVZldWQVdCR"
            + "nMiLCJ5IjoiOVZFNGpmX09rX282NHpiVFRsY3VOSmFqSG10NnY5VERWclUwQ2R2R1JE"
            + "QSIsImNydiI6IlAtMjU2In19.eyJqdGkiOiItQndDM0VTYzZhY2MybFRjIiwiaHRtIj"
            + "oiUE9TVCIsImh0dSI6Imh0dHBzOi8vc2VydmVyLmV4YW1wbGUuY29tL3Rva2VuIiwia"
            + "WF0IjoxNTYyMjYyNjE2fQ.2-GxA6T8lP4vfrg8v-FdWP0A0zdrj8igiMLvqRMUvwnQg"
            + "4PtFLbdLXiOSsX0x7NVY-FNyJK70nfbV37xRZT3Lg";
    Expected token = new Expected("POST", "/token", Map.of());
    assertThat(DeviceProof.verify(proof, token, 1_562_262_616_000L))
        .isEqualTo(
            new Result.Valid(
                "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
                "-BwC3ESc6acc2lTc",
                (1_562_262_616L + 121) * 1_000));
    String other = proof.substring(0, proof.length() - 2) + "4g";
    assertThat(DeviceProof.verify(other, token, 1_562_262_616_000L))
        .isInstanceOf(Result.Invalid.class);
  }

  @Test
  void aProofForTheRequestIsValid() {
    Result result = verify(key.proof(payload("POST", HERE, NOW / 1_000, SESSION)));
    assertThat(result).isInstanceOf(Result.Valid.class);
    assertThat(verify(key.proof(payload("POST", HERE, NOW / 1_000 - 60, SESSION))))
        .isInstanceOfSatisfying(
            Result.Valid.class,
            earlier -> assertThat(earlier.thumbprint()).isEqualTo(thumbprint(result)));
    assertThat(verify(new TestKey().proof(payload("POST", HERE, NOW / 1_000, SESSION))))
        .isInstanceOf(Result.Valid.class)
        .isNotEqualTo(result);
    assertThat(DeviceProof.verify(null, PURCHASE, NOW)).isEqualTo(new Result.Absent());
  }

  private static String thumbprint(Result result) {
    return ((Result.Valid) result).thumbprint();
  }

  @Test
  void aProofForAnotherRequestIsRefused() {
    long now = NOW / 1_000;
    refused(key.proof(payload("GET", HERE, now, SESSION)), "request");
    refused(key.proof(payload("POST", HERE + "/x", now, SESSION)), "request");
    refused(key.proof(payload("POST", "https://shop.example", now, SESSION)), "request");
    refused(key.proof(payload("POST", HERE, now - 121, SESSION)), "time");
    refused(key.proof(payload("POST", HERE, now + 121, SESSION)), "time");
    refused(key.proof(payload("POST", HERE, now, ",\"session_id\":\"t\"")), "session_id");
    refused(key.proof(payload("POST", HERE, now, "")), "session_id");
    refused(key.proof(payload("POST", HERE, now, SESSION).replace("\"7\"", "\"8\"")), "product_id");
    refused(key.proof(payload("POST", HERE, now, SESSION).replace("0123456789abcdef", "1")), "jti");
  }

  @Test
  void aForgedProofIsRefused() {
    String payload = payload("POST", HERE, NOW / 1_000, SESSION);
    String proof = key.proof(payload);
    TestKey other = new TestKey();
    String header = "{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":" + other.jwk() + "}";
    refused(key.sign(header, payload), "signature");
    String[] parts = proof.split("\\.", -1);
    refused(parts[0] + '.' + TestKey.encode(payload + " ") + '.' + parts[2], "signature");
    refused(parts[0] + '.' + parts[1] + '.', "signature");
    refused(parts[0] + '.' + parts[1] + '.' + parts[2].substring(2), "signature");
    refused(parts[0] + '.' + parts[1] + '.' + parts[2] + "=", "base64");
  }

  @Test
  void otherAlgorithmsKeysAndFormsAreRefused() {
    String payload = payload("POST", HERE, NOW / 1_000, SESSION);
    String jwk = key.jwk();
    refused(
        key.sign("{\"typ\":\"dpop+jwt\",\"alg\":\"none\",\"jwk\":" + jwk + "}", payload), "header");
    refused(key.sign("{\"typ\":\"JWT\",\"alg\":\"ES256\",\"jwk\":" + jwk + "}", payload), "header");
    String usual = "{\"typ\":\"dpop+jwt\",\"alg\":\"ES256\",\"jwk\":";
    refused(key.sign(usual + jwk.replace("P-256", "P-384") + "}", payload), "key");
    refused(key.sign(usual + jwk.replace("\"x\":\"", "\"x\":\"AAAA") + "}", payload), "key");
    refused(key.sign(usual + jwk.replace("}", ",\"d\":\"AA\"}") + "}", payload), "key");
    String offCurve = jwk.replaceAll("\"y\":\"[^\"]*\"", "\"y\":\"" + "A".repeat(43) + "\"");
    refused(key.sign(usual + offCurve + "}", payload), "key");
    refused(key.sign(usual + "7}", payload), "key");
    refused("", "form");
    refused("a.b", "form");
    refused("a.b.c.d", "form");
    refused("a.b.c", "base64");
    refused(TestKey.encode("[]") + "." + TestKey.encode("{}") + ".", "json");
    refused("x".repeat(3_000), "form");
    refused(key.proof(payload.replace(":\"POST\"", ":[\"POST\"]")), "request");
    refused(key.proof(payload.replaceAll("\"iat\":\\d+", "\"iat\":\"now\"")), "time");
  }
}
