package fairgate.gate.ban;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.ban.Networks.AddressDatabase;
import fairgate.gate.ban.Networks.NetworkKind;
import fairgate.kernel.ClientAddress;
import fairgate.testkit.Eventually;
import fairgate.testkit.MmdbFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NetworksTest {
  @TempDir private Path folder;

  private static ClientAddress address(String text) {
    return Objects.requireNonNull(ClientAddress.parse(text));
  }

  private Path asnFile() {
    Path file = folder.resolve("asn.mmdb");
    new MmdbFile()
        .asn("203.0.113.0/24", 64_500)
        .asn("198.51.100.128/25", 4_200_000_001L)
        .asn("2001:db8::/32", 64_501)
        .add("192.0.2.0/24", Map.of("asn", "AS64502", "type", "hosting"))
        .add("192.0.3.0/24", Map.of("country", "TW"))
        .add("192.0.4.0/24", Map.of("asn", "AS64504", "type", "isp"))
        .write(file);
    return file;
  }

  @Test
  void theAsnOfAnAddressIsFound() {
    try (Networks networks = Networks.open(Networks.Config.none().withAsns(asnFile()))) {
      assertThat(networks.knowsAsns()).isTrue();
      assertThat(networks.asn(address("203.0.113.9"))).isEqualTo(64_500);
      assertThat(networks.asn(address("::ffff:203.0.113.9"))).isEqualTo(64_500);
      assertThat(networks.asn(address("198.51.100.200"))).isEqualTo(4_200_000_001L);
      assertThat(networks.asn(address("198.51.100.1"))).isZero();
      assertThat(networks.asn(address("2001:db8:ffff::1"))).isEqualTo(64_501);
      assertThat(networks.asn(address("2001:db9::1"))).isZero();
      assertThat(networks.asn(address("192.0.2.1"))).isEqualTo(64_502);
      assertThat(networks.asn(address("192.0.3.1"))).isZero();
    }
  }

  @Test
  void countriesAreReadFromTheFormatsInUse() {
    Path file = folder.resolve("country.mmdb");
    new MmdbFile()
        .add("203.0.113.0/24", Map.of("country", Map.of("iso_code", "TW")))
        .add("198.51.100.0/24", Map.of("country", "Japan", "country_code", "jp"))
        .add("192.0.2.0/24", Map.of("country", "DE"))
        .add("192.0.3.0/24", Map.of("country", "Nowhere"))
        .write(file);
    try (Networks networks = Networks.open(Networks.Config.none().withCountries(file))) {
      assertThat(networks.knowsCountries()).isTrue();
      assertThat(networks.country(address("203.0.113.9"))).isEqualTo("TW");
      assertThat(networks.country(address("198.51.100.9"))).isEqualTo("JP");
      assertThat(networks.country(address("192.0.2.9"))).isEqualTo("DE");
      assertThat(networks.country(address("192.0.3.9"))).isEmpty();
      assertThat(networks.country(address("10.0.0.1"))).isEmpty();
    }
  }

  @Test
  void theKindOfANetworkComesFromTheFilesAndTheOperatorsListsWin() {
    Path anonymous = folder.resolve("anonymous.mmdb");
    new MmdbFile()
        .add("198.51.100.0/24", Map.of("is_hosting_provider", true))
        .add("203.0.113.0/24", Map.of("is_hosting_provider", true))
        .write(anonymous);
    Networks.Config config =
        new Networks.Config(asnFile(), null, anonymous, Set.of(64_501L), Set.of(64_500L));
    try (Networks networks = Networks.open(config)) {
      assertThat(kind(networks, "192.0.2.1")).isEqualTo(NetworkKind.HOSTING);
      assertThat(kind(networks, "192.0.4.1")).isEqualTo(NetworkKind.RESIDENTIAL);
      assertThat(kind(networks, "198.51.100.1")).isEqualTo(NetworkKind.HOSTING);
      assertThat(kind(networks, "2001:db8::1")).isEqualTo(NetworkKind.HOSTING);
      assertThat(kind(networks, "203.0.113.9")).isEqualTo(NetworkKind.MOBILE);
      assertThat(kind(networks, "10.0.0.1")).isEqualTo(NetworkKind.UNKNOWN);
    }
  }

  private static NetworkKind kind(Networks networks, String address) {
    return networks.facts(address(address)).kind();
  }

  @Test
  void proxiesVpnsAndTorAreToldApartAndHostingAloneIsNone() {
    Path file = folder.resolve("anonymous.mmdb");
    new MmdbFile()
        .add("203.0.113.0/24", Map.of("is_anonymous", true, "is_anonymous_vpn", true))
        .add("198.51.100.0/24", Map.of("tor", "true"))
        .add("192.0.2.0/24", Map.of("hosting", "true", "proxy", ""))
        .add("192.0.3.0/24", Map.of("is_residential_proxy", true, "is_anonymous_vpn", false))
        .write(file);
    Networks.Config config = new Networks.Config(null, null, file, Set.of(), Set.of());
    try (Networks networks = Networks.open(config)) {
      assertThat(networks.facts(address("203.0.113.9")))
          .isEqualTo(new Networks.Facts("", 0, NetworkKind.UNKNOWN, false, true, false));
      assertThat(networks.facts(address("198.51.100.9")))
          .isEqualTo(new Networks.Facts("", 0, NetworkKind.UNKNOWN, false, false, true));
      assertThat(networks.facts(address("192.0.2.9")))
          .isEqualTo(new Networks.Facts("", 0, NetworkKind.HOSTING, false, false, false));
      assertThat(networks.facts(address("192.0.3.9")))
          .isEqualTo(new Networks.Facts("", 0, NetworkKind.UNKNOWN, true, false, false));
    }
  }

  @Test
  void aFileThatAppearsLaterIsLoadedAndABrokenOneIsIgnored() throws IOException {
    Path file = folder.resolve("asn.mmdb");
    try (AddressDatabase database = new AddressDatabase("ASN", file)) {
      database.start();
      assertThat(database.isLoaded()).isFalse();
      new MmdbFile().asn("203.0.113.0/24", 64_500).write(file);
      Eventually.await("the file is loaded", database::isLoaded);
      Files.writeString(file, "half a file");
      database.reload(file);
      assertThat(number(database, "203.0.113.9")).isEqualTo(64_500L);
      new MmdbFile().asn("203.0.113.0/24", 64_511).asn("198.51.100.0/24", 64_512).write(file);
      database.reload(file);
      assertThat(number(database, "203.0.113.9")).isEqualTo(64_511L);
      assertThat(number(database, "198.51.100.1")).isEqualTo(64_512L);
    }
  }

  private static Object number(AddressDatabase database, String address) {
    return Objects.requireNonNull(database.find(address(address)).get("autonomous_system_number"));
  }

  @Test
  void withoutFilesEverythingIsUnknown() {
    try (Networks networks = Networks.open(Networks.Config.none())) {
      assertThat(networks.knowsAsns()).isFalse();
      assertThat(networks.knowsCountries()).isFalse();
      assertThat(networks.asn(address("203.0.113.9"))).isZero();
      assertThat(networks.country(address("203.0.113.9"))).isEmpty();
      assertThat(networks.facts(address("203.0.113.9")))
          .isEqualTo(new Networks.Facts("", 0, NetworkKind.UNKNOWN, false, false, false));
    }
  }
}
