package fairgate.line;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.line.Delivery.RetryKey;
import java.util.UUID;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

final class RetryKeyTest {
  /// RFC 9562, appendix A.4.
  @Test
  void matchesTheExampleOfTheStandard() {
    UUID dns = UUID.fromString("6ba7b810-9dad-11d1-80b4-00c04fd430c8");
    assertThat(RetryKey.of(dns, "www.example.com"))
        .isEqualTo(UUID.fromString("2ed6657d-e927-568b-95e1-2665a8aea6a2"));
  }

  @Property(tries = 100)
  void theKeyDependsOnTheEventIdOnly(@ForAll String id, @ForAll String other) {
    assertThat(RetryKey.of(id).version()).isEqualTo(5);
    assertThat(RetryKey.of(id).variant()).isEqualTo(2);
    assertThat(RetryKey.of(id).equals(RetryKey.of(other))).isEqualTo(id.equals(other));
  }
}
