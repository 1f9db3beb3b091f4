package fairgate.kernel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import fairgate.kernel.WebhookSignature.Result;
import java.net.http.HttpHeaders;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class WebhookSignatureTest {
  // The example of the Standard Webhooks libraries.
  private static final String SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
  private static final String ID = "msg_p5jXN8AQM9LWM0D4loKWxJek";
  private static final String SENT = "1614265330";
  private static final String SIGNATURE = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";
  private static final byte[] BODY = "{\"test\": 2432232314}".getBytes(UTF_8);
  private static final String OTHER = "whsec_" + "QUFBQUFBQUFBQUFBQUFBQUFBQUFBQUFB";

  private static WebhookSignature at(long offset, String... secrets) {
    Instant now = Instant.ofEpochSecond(Long.parseLong(SENT) + offset);
    return new WebhookSignature(List.of(secrets), Clock.fixed(now, ZoneOffset.UTC));
  }

  private static Result verdict(WebhookSignature ours, @Nullable String signatures) {
    return ours.verify(ID, SENT, signatures, BODY);
  }

  @Test
  void theKnownExampleIsGenuine() {
    assertThat(verdict(at(0, SECRET), SIGNATURE)).isEqualTo(Result.GENUINE);
  }

  @Test
  void oneOfSeveralSignaturesAndOneOfSeveralSecretsIsEnough() {
    assertThat(verdict(at(0, OTHER, SECRET), "v1,AAAA v1a,zzzz " + SIGNATURE))
        .isEqualTo(Result.GENUINE);
  }

  @Test
  void fiveMinutesEitherWayAreAccepted() {
    assertThat(verdict(at(300, SECRET), SIGNATURE)).isEqualTo(Result.GENUINE);
    assertThat(verdict(at(-300, SECRET), SIGNATURE)).isEqualTo(Result.GENUINE);
    assertThat(verdict(at(301, SECRET), SIGNATURE)).isEqualTo(Result.STALE);
    assertThat(verdict(at(-301, SECRET), SIGNATURE)).isEqualTo(Result.STALE);
  }

  @Test
  void anyChangeIsForged() {
    WebhookSignature ours = at(0, SECRET);
    assertThat(ours.verify(ID + "x", SENT, SIGNATURE, BODY)).isEqualTo(Result.FORGED);
    assertThat(ours.verify(ID, "1614265331", SIGNATURE, BODY)).isEqualTo(Result.FORGED);
    assertThat(ours.verify(ID, SENT, SIGNATURE, "{}".getBytes(UTF_8))).isEqualTo(Result.FORGED);
    assertThat(verdict(ours, SIGNATURE.replace("v1,", "v1,A"))).isEqualTo(Result.FORGED);
    assertThat(verdict(ours, SIGNATURE.replace("v1,", "v2,"))).isEqualTo(Result.FORGED);
    assertThat(verdict(at(0, OTHER), SIGNATURE)).isEqualTo(Result.FORGED);
    assertThat(verdict(at(0), SIGNATURE)).isEqualTo(Result.FORGED);
  }

  @Test
  void missingOrInvalidHeadersAreForged() {
    WebhookSignature ours = at(0, SECRET);
    assertThat(verdict(ours, null)).isEqualTo(Result.FORGED);
    assertThat(verdict(ours, "")).isEqualTo(Result.FORGED);
    assertThat(ours.verify(null, SENT, SIGNATURE, BODY)).isEqualTo(Result.FORGED);
    assertThat(ours.verify("", SENT, SIGNATURE, BODY)).isEqualTo(Result.FORGED);
    assertThat(ours.verify(ID, null, SIGNATURE, BODY)).isEqualTo(Result.FORGED);
    assertThat(ours.verify(ID, "-1", SIGNATURE, BODY)).isEqualTo(Result.FORGED);
    assertThat(ours.verify(ID, "9".repeat(30), SIGNATURE, BODY)).isEqualTo(Result.FORGED);
  }

  @Test
  void allSecretsSignTheNewestFirst() {
    String signatures =
        at(0, SECRET, OTHER).sign(ID, BODY).getOrDefault("webhook-signature", "none");
    assertThat(signatures).startsWith(SIGNATURE + " v1,");
    assertThat(verdict(at(0, SECRET), signatures)).isEqualTo(Result.GENUINE);
    assertThat(verdict(at(0, OTHER), signatures)).isEqualTo(Result.GENUINE);
  }

  @Test
  void theOfficialLibraryAcceptsSignaturesOfEitherSecret() throws WebhookVerificationException {
    Map<String, String> headers =
        new WebhookSignature(List.of(SECRET, OTHER), Clock.systemUTC()).sign(ID, BODY);
    HttpHeaders sent =
        HttpHeaders.of(
            headers.entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> List.of(each.getValue()))),
            (_, _) -> true);
    for (String secret : List.of(SECRET, OTHER)) {
      new Webhook(secret).verify(new String(BODY, UTF_8), sent);
    }
    assertThatThrownBy(() -> new Webhook(SECRET).verify("{}", sent))
        .isInstanceOf(WebhookVerificationException.class);
  }

  @Test
  void malformedSecretsAreRefusedAtStart() {
    assertThatThrownBy(() -> at(0, "secret")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> at(0, "whsec_AAAA")).isInstanceOf(IllegalArgumentException.class);
  }
}
