package fairgate.gate.signal;

import static fairgate.gate.signal.SignalServer.value;
import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.risk.Features;
import fairgate.gate.risk.RiskRoute;
import fairgate.kernel.Caller;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CrowdSourceTest {
  private static final ProductId SALE = new ProductId("7");

  private final Judge judge = new Judge();
  private final CrowdSource source = new CrowdSource(judge.clock);

  /// The features of a join, which then gets a place.
  private Features join(String address, DeviceId device) {
    Caller caller = judge.caller(address, device, null);
    Features features = judge.features(source, caller);
    source.accepted(SALE, caller, true);
    return features;
  }

  private static DeviceId device(int number) {
    return new DeviceId(String.format(Locale.ROOT, "%022d", number));
  }

  @Test
  void joinsAreCountedByAddressNetworkAndSite() {
    for (int i = 1; i < 5; i++) {
      Features _ = join("203.0.113." + i, device(i));
    }
    Features fifth = join("203.0.113.1", device(5));
    assertThat(value(fifth, "joins_of_address")).isEqualTo(1L);
    assertThat(value(fifth, "joins_of_network")).isEqualTo(4L);
    assertThat(value(fifth, "joins_of_site")).isEqualTo(0L);
    assertThat(value(fifth, "devices_of_address")).isEqualTo(1L);
    assertThat(value(fifth, "devices_of_network")).isEqualTo(4L);
    Features elsewhere = join("198.51.100.1", device(6));
    assertThat(value(elsewhere, "joins_of_network")).isEqualTo(0L);
  }

  @Test
  void requestsWithoutAnAcceptedChallengeDoNotCountForTheirNetwork() {
    for (int i = 0; i < 120; i++) {
      Caller stranger = judge.caller("203.0.113.1", device(i), null);
      judge.clock.advance(Duration.ofMillis(100));
      Features _ = judge.features(source, stranger);
      Features _ = judge.features(source, Judge.request(RiskRoute.CLAIM, "7", null, stranger));
    }
    Features neighbour = join("203.0.113.1", Judge.BROWSER);
    for (String count :
        List.of(
            "joins_of_address",
            "joins_of_address_hour",
            "joins_of_network",
            "joins_of_network_hour",
            "devices_of_address",
            "devices_of_network")) {
      assertThat(value(neighbour, count)).as(count).isEqualTo(0L);
    }
    assertThat(value(neighbour, "joins_equal_interval")).isEqualTo(false);
  }

  @Test
  void acceptedJoinsWithoutANewPlaceCountAsBrowsersOnly() {
    for (int i = 0; i < 20; i++) {
      judge.clock.advance(Duration.ofMillis(100));
      source.accepted(SALE, judge.caller("203.0.113.1", device(i), null), false);
    }
    Features neighbour = join("203.0.113.1", Judge.BROWSER);
    assertThat((long) value(neighbour, "devices_of_address")).isBetween(18L, 22L);
    assertThat(value(neighbour, "joins_of_address")).isEqualTo(0L);
    assertThat(value(neighbour, "joins_equal_interval")).isEqualTo(false);
  }

  @Test
  void anIpv6SiteIsCountedAcrossItsNetworks() {
    for (int i = 0; i < 9; i++) {
      Features _ = join("2001:db8:1:" + Integer.toHexString(i * 256) + "::1", device(i));
    }
    Features tenth = join("2001:db8:1:ff00::1", device(9));
    assertThat(value(tenth, "joins_of_address")).isEqualTo(0L);
    assertThat(value(tenth, "joins_of_network")).isEqualTo(0L);
    assertThat(value(tenth, "joins_of_site")).isEqualTo(9L);
  }

  @Test
  void joinsOfAnHourAreCountedBesideThoseOfAMinute() {
    for (int i = 0; i < 10; i++) {
      judge.clock.advance(Duration.ofMinutes(2));
      Features _ = join("203.0.113." + i % 2, device(i));
    }
    Features last = join("203.0.113.1", device(10));
    assertThat(value(last, "joins_of_address")).isEqualTo(1L);
    assertThat(value(last, "joins_of_address_hour")).isEqualTo(5L);
    assertThat(value(last, "joins_of_network_hour")).isEqualTo(10L);
    judge.clock.advance(Duration.ofHours(3));
    assertThat(value(join("203.0.113.1", device(11)), "joins_of_network_hour")).isEqualTo(0L);
  }

  @Test
  void countsAreForgotten() {
    for (int i = 0; i < 20; i++) {
      Features _ = join("203.0.113.1", device(i));
    }
    judge.clock.advance(Duration.ofMinutes(2));
    Features later = join("203.0.113.1", device(1));
    assertThat(value(later, "joins_of_address")).isEqualTo(0L);
    assertThat((long) value(later, "devices_of_address")).isBetween(18L, 22L);
    judge.clock.advance(Duration.ofHours(2));
    assertThat(value(join("203.0.113.1", device(1)), "devices_of_address")).isEqualTo(0L);
  }

  @Test
  void aBrowserIsCountedByItsRequestsAddressesAndSales() {
    Features first = join("203.0.113.1", Judge.BROWSER);
    assertThat(value(first, "sales_joined")).isEqualTo(0L);
    Features _ = join("198.51.100.1", Judge.BROWSER);
    Features other =
        judge.features(
            source, Judge.request(RiskRoute.JOIN, "8", null, judge.guest("198.51.100.1")));
    assertThat(value(other, "requests_of_device")).isEqualTo(3L);
    assertThat(value(other, "addresses_of_device")).isEqualTo(2L);
    assertThat(value(other, "sales_joined")).isEqualTo(1L);
  }

  @Test
  void joinsInEqualIntervalsAreAPatternAndThoseOfPeopleAreNot() {
    Features last = Features.builder().build();
    for (int i = 0; i < 9; i++) {
      judge.clock.advance(Duration.ofMillis(500 + i % 3 * 5L));
      last = join("203.0.113.1", device(i));
    }
    assertThat(value(last, "joins_equal_interval")).isEqualTo(true);
    Random random = new Random(11);
    for (int i = 0; i < 200; i++) {
      // Exponential intervals, as of independent people.
      double interval = -500 * Math.log(1 - random.nextDouble());
      judge.clock.advance(Duration.ofMillis(1 + (long) interval));
      last = join("198.51.100.1", device(i));
      assertThat(value(last, "joins_equal_interval")).isEqualTo(false);
    }
  }

  @Test
  void manyJoinsInTheSameMomentHaveNoEqualIntervals() {
    Features last = Features.builder().build();
    for (int i = 0; i < 50; i++) {
      last = join("203.0.113.1", device(i));
    }
    assertThat(value(last, "joins_equal_interval")).isEqualTo(false);
  }

  @Test
  void accountsRegisteredInABurstAreCountedForEachOfThem() {
    for (int i = 0; i < 12; i++) {
      source.registered("acc_" + i, judge.guest("203.0.113." + i).address());
    }
    source.registered("acc_other", judge.guest("198.51.100.1").address());
    assertThat(burst("acc_3")).isEqualTo(12L);
    assertThat(burst("acc_other")).isEqualTo(1L);
    assertThat(burst("acc_old")).isEqualTo(0L);
    judge.clock.advance(Duration.ofHours(5));
    source.registered("acc_later", judge.guest("203.0.113.1").address());
    assertThat(burst("acc_later")).isEqualTo(1L);
    assertThat(burst("acc_3")).isEqualTo(12L);
  }

  private Object burst(String account) {
    Caller caller = judge.caller("192.0.2.1", Judge.BROWSER, account);
    return value(judge.features(source, caller), "accounts_created_burst");
  }

  @Test
  void aFloodOfNetworksIsBounded() {
    for (int i = 0; i < CrowdSource.MAX_KEYS + 1_000; i++) {
      Features _ = join("10." + (i >> 16) + '.' + (i >> 8 & 255) + '.' + (i & 255), device(i));
    }
    Features known = join("10.0.0.0", device(0));
    assertThat((long) value(known, "joins_of_address")).isPositive();
    Features unknown = join("203.0.113.1", device(1));
    assertThat(value(unknown, "joins_of_address")).isEqualTo(0L);
  }
}
