package fairgate.gate.address;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.kernel.ClientAddress;
import fairgate.kernel.DeviceId;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class AddressServiceTest {
  private final AtomicReference<Instant> now = new AtomicReference<>(Instant.ofEpochSecond(1_000));
  private final InstantSource source = now::get;
  private final Clock clock = source.withZone(ZoneOffset.UTC);
  private final AddressService service = new AddressService(clock);
  private final Random random = new Random(7);

  private static ClientAddress address(String text) {
    return Objects.requireNonNull(ClientAddress.parse(text));
  }

  private DeviceId device() {
    byte[] bytes = new byte[16];
    random.nextBytes(bytes);
    return new DeviceId(java.util.Base64.getUrlEncoder().withoutPadding().encodeToString(bytes));
  }

  private void recordSolvedChallenge(ClientAddress address, int devices) {
    for (int i = 0; i < devices; i++) {
      service.recordSolvedChallenge(address, device());
    }
  }

  @Test
  void aHouseholdHasTheNormalBudget() {
    ClientAddress home = address("203.0.113.9");
    recordSolvedChallenge(home, 8);
    assertThat(service.of(home)).isEqualTo(new AddressBudget("203.0.113.9", "203.0.113.0/24", 1));
  }

  @Test
  void theBudgetOfACarriersNatGrowsWithItsBrowsers() {
    ClientAddress nat = address("203.0.113.9");
    recordSolvedChallenge(nat, 100);
    assertThat(service.of(nat).budget()).isBetween(18, 22);
    recordSolvedChallenge(nat, 2_000);
    assertThat(service.of(nat).budget()).isEqualTo(AddressService.MAX_BUDGET);
    assertThat(service.of(address("203.0.113.10")).budget()).isEqualTo(1);
  }

  @Test
  void aBrowserWithManySolvedChallengesCountsOnce() {
    ClientAddress home = address("203.0.113.9");
    DeviceId one = device();
    for (int i = 0; i < 1_000; i++) {
      service.recordSolvedChallenge(home, one);
    }
    assertThat(service.of(home).budget()).isEqualTo(1);
  }

  @Test
  void anOwnerOfManyPrefixesIsCountedAsOne() {
    AddressBudget last = service.of(address("2001:db8:1::1"));
    assertThat(last.key()).isEqualTo("2001:db8:1::/56");
    for (int i = 0; i < 64; i++) {
      last = service.of(address("2001:db8:1:%02x00::1".formatted(i)));
    }
    assertThat(last)
        .isEqualTo(
            new AddressBudget(
                "2001:db8:1::/48", "2001:db8:1::/48", AddressService.MIN_NETWORK_BUDGET));
    assertThat(service.of(address("2001:db8:2::1")).key()).isEqualTo("2001:db8:2::/56");
  }

  @Test
  void aMobileNetworkWithManyBrowsersIsNotCountedAsOne() {
    for (int i = 0; i < 64; i++) {
      ClientAddress phone = address("2001:db8:1:%02x00::1".formatted(i));
      service.recordSolvedChallenge(phone, device());
      assertThat(service.of(phone).key()).endsWith("/56");
    }
  }

  @Test
  void oldObservationsAreDropped() {
    ClientAddress nat = address("203.0.113.9");
    recordSolvedChallenge(nat, 100);
    now.updateAndGet(at -> at.plus(Duration.ofMinutes(10)));
    assertThat(service.of(nat).budget()).isGreaterThan(1);
    now.updateAndGet(at -> at.plus(Duration.ofMinutes(10)));
    assertThat(service.of(nat).budget()).isEqualTo(1);
    now.updateAndGet(at -> at.plus(Duration.ofDays(1)));
    assertThat(service.of(nat).budget()).isEqualTo(1);
  }

  @Test
  void memoryIsBounded() {
    RecentMap<int[]> recent = new RecentMap<>(clock, () -> new int[1]);
    for (int i = 0; i < RecentMap.MAX_KEYS + 1_000; i++) {
      recent.touch("key" + i, value -> value[0]++);
    }
    assertThat(recent.max("key0", value -> value[0])).isEqualTo(1);
    assertThat(recent.max("key" + (RecentMap.MAX_KEYS + 999), value -> value[0])).isZero();
  }
}
