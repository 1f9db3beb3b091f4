package fairgate.gate.signal;

import static fairgate.gate.signal.SignalServer.value;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.ban.Networks;
import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRoute;
import fairgate.testkit.MmdbFile;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NetworkSourceTest {
  @TempDir private static Path folder;

  @SuppressWarnings("NullAway.Init")
  private static Networks networks;

  @BeforeAll
  static void open() {
    Path asns = folder.resolve("asn.mmdb");
    new MmdbFile()
        .add("203.0.113.0/24", Map.of("asn", "AS64500", "type", "hosting"))
        .add("198.51.100.0/24", Map.of("asn", "AS64501"))
        .write(asns);
    Path countries = folder.resolve("country.mmdb");
    new MmdbFile()
        .add("203.0.113.0/24", Map.of("country", Map.of("iso_code", "TW")))
        .add("198.51.100.0/24", Map.of("country", Map.of("iso_code", "JP")))
        .write(countries);
    Path anonymous = folder.resolve("anonymous.mmdb");
    new MmdbFile().add("192.0.2.0/24", Map.of("is_anonymous_vpn", true)).write(anonymous);
    networks =
        Networks.open(new Networks.Config(asns, countries, anonymous, Set.of(), Set.of(64_501L)));
  }

  @AfterAll
  static void close() {
    networks.close();
  }

  private final Judge judge = new Judge();
  private final NetworkSource source =
      new NetworkSource(
          networks, caller -> caller.address().text().equals("10.0.0.1"), judge.clock);

  private Features from(String address) {
    return judge.features(source, judge.guest(address));
  }

  @Test
  void theNetworkIsDescribedByTheFiles() {
    Features hosting = from("203.0.113.9");
    assertThat(value(hosting, "country")).isEqualTo("TW");
    assertThat(value(hosting, "asn_class")).isEqualTo("hosting");
    assertThat(value(hosting, "network_hosting")).isEqualTo(true);
    assertThat(value(from("198.51.100.9"), "network_mobile")).isEqualTo(true);
    assertThat(value(from("192.0.2.9"), "network_vpn")).isEqualTo(true);
    assertThat(SignalServer.set(from("2001:db8::1"))).isEmpty();
  }

  @Test
  void joinsAreCountedByAutonomousSystemAcrossItsNetworks() {
    for (int i = 0; i < 9; i++) {
      Features _ = from("198.51.100." + i);
    }
    assertThat(value(from("198.51.100.200"), "joins_of_asn")).isEqualTo(10L);
    assertThat(value(from("203.0.113.9"), "joins_of_asn")).isEqualTo(1L);
    assertThat(value(from("192.0.2.9"), "joins_of_asn")).isEqualTo(0L);
    Features purchase =
        judge.features(
            source, Judge.request(RiskRoute.PURCHASE, "7", null, judge.guest("198.51.100.1")));
    assertThat(value(purchase, "joins_of_asn")).isEqualTo(10L);
    judge.clock.advance(Duration.ofMinutes(2));
    assertThat(value(from("198.51.100.1"), "joins_of_asn")).isEqualTo(1L);
  }

  @Test
  void aCallerOnTheAllowListIsMarked() {
    assertThat(value(from("10.0.0.1"), "network_allowed")).isEqualTo(true);
    assertThat(value(from("10.0.0.2"), "network_allowed")).isEqualTo(false);
  }

  @Test
  void aBrowserThatComesFromAnotherCountryWithinTheHourHasChangedIt() {
    assertThat(value(from("203.0.113.9"), "country_changed")).isEqualTo(false);
    assertThat(value(from("203.0.113.10"), "country_changed")).isEqualTo(false);
    assertThat(value(from("192.0.2.9"), "country_changed")).isEqualTo(false);
    assertThat(value(from("198.51.100.9"), "country_changed")).isEqualTo(true);
    judge.clock.advance(Duration.ofHours(3));
    assertThat(value(from("198.51.100.9"), "country_changed")).isEqualTo(false);
  }
}
