package fairgate.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientAddressTest {
  private static ClientAddress address(String text) {
    return Objects.requireNonNull(ClientAddress.parse(text), text);
  }

  private static AddressBlock block(String text) {
    return Objects.requireNonNull(AddressBlock.parse(text), text);
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.1, 192.0.2.1",
    "255.255.255.255, 255.255.255.255",
    "::ffff:192.0.2.1, 192.0.2.1",
    "::FFFF:c000:201, 192.0.2.1",
    "0:0:0:0:0:ffff:192.0.2.1, 192.0.2.1",
    "::, ::",
    "::1, ::1",
    "2001:DB8:0:0:1:0:0:1, 2001:db8::1:0:0:1",
    "2001:db8:0:1:1:1:1:1, 2001:db8:0:1:1:1:1:1",
    "fe80::, fe80::",
    "1::8, 1::8",
    "64:ff9b::192.0.2.33, 64:ff9b::c000:221",
    "1:2:3:4:5:6:7.8.9.10, 1:2:3:4:5:6:708:90a"
  })
  void anAddressHasOneTextForm(String given, String written) {
    assertThat(address(given).text()).isEqualTo(written);
    assertThat(address(written)).isEqualTo(address(given));
  }

  @Test
  void invalidAddressesAreNull() {
    String texts =
        """
        1.2.3 1.2.3.4.5 1.2.3.256 01.2.3.4 1.2.3.04 1..2.3 0x1.2.3.4 1.2.3.4:80 1.2.3.+4
        localhost unknown : ::: 1:::2 ::1:: 1:2:3:4:5:6:7 1:2:3:4:5:6:7:8:9
        1:2:3:4:5:6:7::8:9 ::1:2:3:4:5:6:7:8 12345:: g:: fe80::1%eth0 [::1] ::1.2.3
        1.2.3.4:: ::1.2.3.4:5 1:2:3:4:5:6:7:1.2.3.4 1: :1 １.2.3.4 ::１ 1:2:3:4:5:6:7:
        """;
    assertThat(texts.split("\\s+")).allMatch(text -> ClientAddress.parse(text) == null);
    assertThat(List.of("", " ", "1.2.3.4 ", " 1.2.3.4", " ::1"))
        .allMatch(text -> ClientAddress.parse(text) == null);
  }

  @Test
  void anIpv4ClientIsCountedByItsAddress() {
    assertThat(address("::ffff:203.0.113.9").key()).isEqualTo("203.0.113.9");
    assertThat(address("203.0.113.9").network().text()).isEqualTo("203.0.113.0/24");
  }

  @Test
  void anIpv6ClientIsCountedByItsPrefix() {
    ClientAddress one = address("2001:db8:aaaa:bb01::1");
    assertThat(one.key()).isEqualTo("2001:db8:aaaa:bb00::/56");
    assertThat(address("2001:db8:aaaa:bbff:ffff::2").key()).isEqualTo(one.key());
    assertThat(address("2001:db8:aaaa:bc00::2").key()).isNotEqualTo(one.key());
    assertThat(one.network().text()).isEqualTo("2001:db8:aaaa::/48");
  }

  @Test
  void blocksContainTheirOwnFamilyOnly() {
    assertThat(block("10.0.0.0/8").contains(address("10.255.0.1"))).isTrue();
    assertThat(block("10.0.0.0/8").contains(address("::ffff:10.255.0.1"))).isTrue();
    assertThat(block("10.0.0.0/8").contains(address("11.0.0.1"))).isFalse();
    assertThat(block("0.0.0.0/0").contains(address("1.2.3.4"))).isTrue();
    assertThat(block("0.0.0.0/0").contains(address("::1"))).isFalse();
    assertThat(block("::/0").contains(address("1.2.3.4"))).isFalse();
    assertThat(block("::/0").contains(address("2001:db8::1"))).isTrue();
    assertThat(block("2001:db8::/32").contains(address("2001:db8:ffff::1"))).isTrue();
    assertThat(block("2001:db8::/65").contains(address("2001:db8:0:0:8000::"))).isFalse();
    assertThat(block("::1").contains(address("::1"))).isTrue();
  }

  @Test
  void aBlockHasOneTextForm() {
    assertThat(block("10.1.2.3/8").text()).isEqualTo("10.0.0.0/8");
    assertThat(block("::ffff:10.0.0.0/104").text()).isEqualTo("10.0.0.0/8");
    assertThat(block("10.1.2.3/32").text()).isEqualTo("10.1.2.3");
    assertThat(block("2001:db8::1/64").text()).isEqualTo("2001:db8::/64");
    assertThat(AddressBlock.parse("10.0.0.0/33")).isNull();
    assertThat(AddressBlock.parse("::/129")).isNull();
    assertThat(AddressBlock.parse("10.0.0.0/")).isNull();
    assertThat(AddressBlock.parse("10.0.0.0/-1")).isNull();
    assertThat(AddressBlock.parse("/8")).isNull();
  }

  /// Java's own parser is the reference.
  @Property(tries = 500)
  void anyAddressIsParsedBackFromItsText(@ForAll @Size(16) byte[] bytes)
      throws UnknownHostException {
    InetAddress java = InetAddress.getByAddress(bytes);
    ClientAddress read = address(java.getHostAddress());
    assertThat(address(read.text())).isEqualTo(read);
    assertThat(InetAddress.ofLiteral(read.text())).isEqualTo(java);
  }

  @Property(tries = 500)
  void anyTextIsParsedOrRefused(@ForAll String text) {
    ClientAddress read = ClientAddress.parse(text);
    if (read != null) {
      assertThat(address(read.text())).isEqualTo(read);
    }
  }
}
