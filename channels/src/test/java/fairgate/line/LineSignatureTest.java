package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import com.linecorp.bot.parser.LineSignatureValidator;
import fairgate.line.LineRoutes.LineSignature;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.NotEmpty;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

/// Compares with the signatures of LINE's own SDK.
final class LineSignatureTest {
  private static String official(String secret, byte[] body) {
    return Base64.getEncoder()
        .encodeToString(
            new LineSignatureValidator(secret.getBytes(StandardCharsets.UTF_8))
                .generateSignature(body));
  }

  @Property(tries = 200)
  void aSignatureOfTheSdkIsValid(
      @ForAll @NotEmpty String secret, @ForAll @Size(max = 500) byte[] body) {
    LineSignature ours = new LineSignature(List.of("another", secret));
    String signature = official(secret, body);
    assertThat(ours.verifies(signature, body)).isTrue();
    assertThat(new LineSignature(List.of("another")).verifies(signature, body)).isFalse();
  }

  @Property(tries = 200)
  void anyOtherHeaderIsInvalid(@ForAll String header, @ForAll @Size(max = 50) byte[] body) {
    assertThat(new LineSignature(List.of("secret")).verifies(header, body)).isFalse();
  }

  @Property(tries = 100)
  void aChangedByteInvalidatesTheSignature(@ForAll @Size(min = 1, max = 100) byte[] body) {
    String signature = official("secret", body);
    byte[] other = body.clone();
    other[other.length / 2]++;
    assertThat(new LineSignature(List.of("secret")).verifies(signature, other)).isFalse();
  }

  @Test
  void withoutASecretNoSignatureIsValid() {
    assertThat(new LineSignature(List.of()).verifies(official("x", new byte[0]), new byte[0]))
        .isFalse();
    assertThat(new LineSignature(List.of("x")).verifies(null, new byte[0])).isFalse();
  }
}
