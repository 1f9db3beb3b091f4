package fairgate.platform.http.stream;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.AddressBlock;
import fairgate.kernel.ClientAddress;
import fairgate.platform.http.stream.Forwarding.Proxies;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/// Forged and genuine headers behind a proxy at 10.0.0.1; 10.0.0.0/8 and fd00::/8 are trusted. In
/// the tables `|` separates the lines of the header and `'` stands for `"`.
class ForwardingTest {
  private static final ClientAddress PROXY = address("10.0.0.1");
  private static final Forwarding X_FORWARDED_FOR = behind(Proxies.Header.X_FORWARDED_FOR);
  private static final Forwarding RFC_7239 = behind(Proxies.Header.FORWARDED);

  private static Forwarding behind(Proxies.Header header) {
    List<AddressBlock> trusted =
        Stream.of("10.0.0.0/8", "fd00::/8").map(AddressBlock::parse).toList();
    return new Forwarding(new Proxies(trusted, header, false));
  }

  private static ClientAddress address(String text) {
    return Objects.requireNonNull(ClientAddress.parse(text), text);
  }

  private static List<String> lines(String text) {
    return Arrays.asList(text.replace('\'', '"').split("\\|", -1));
  }

  @ParameterizedTest
  @CsvFileSource(resources = "x-forwarded-for.txt", delimiter = '>', quoteCharacter = '`')
  void xForwardedFor(String header, String client) {
    assertThat(X_FORWARDED_FOR.behind(PROXY, lines(header))).isEqualTo(address(client));
  }

  @ParameterizedTest
  @CsvFileSource(resources = "forwarded.txt", delimiter = '>', quoteCharacter = '`')
  void forwarded(String header, String client) {
    assertThat(RFC_7239.behind(PROXY, lines(header))).isEqualTo(address(client));
  }

  /// Only the part that the proxy appended counts.
  @Property(tries = 1_000)
  void elementsLeftOfAnUntrustedAddressAreIgnored(@ForAll String forged) {
    assertThat(X_FORWARDED_FOR.behind(PROXY, List.of(forged + ", 203.0.113.9")))
        .isEqualTo(address("203.0.113.9"));
    assertThat(X_FORWARDED_FOR.behind(PROXY, List.of(forged, "203.0.113.9")))
        .isEqualTo(address("203.0.113.9"));
    assertThat(RFC_7239.behind(PROXY, List.of(forged, "for=203.0.113.9")))
        .isEqualTo(address("203.0.113.9"));
  }

  /// Only a well-formed element of the proxy counts.
  @Property(tries = 1_000)
  void anUnclosedQuotationMarkDoesNotHideTheClient(@ForAll String forged) {
    assertThat(RFC_7239.behind(PROXY, List.of(forged + ", for=203.0.113.9")))
        .isEqualTo(address("203.0.113.9"));
  }
}
