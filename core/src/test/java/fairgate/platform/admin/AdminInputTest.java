package fairgate.platform.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.platform.http.InvalidRequest;
import fairgate.platform.http.JsonBody;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AdminInputTest {
  private static JsonBody body(String reason) {
    return JsonBody.parse(
        "{\"reason\": \"%s\"}".formatted(reason).getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void aReasonIsTakenAsItIs() {
    assertThat(AdminInput.reason(body(" a school "), 10)).isEqualTo(" a school ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " ", "\\t", "\u3000", "eleven long"})
  void aReasonThatIsBlankOrTooLongIsRefused(String reason) {
    assertThatThrownBy(() -> AdminInput.reason(body(reason), 10))
        .isInstanceOf(InvalidRequest.class)
        .hasMessage("reason: bad_length");
  }
}
