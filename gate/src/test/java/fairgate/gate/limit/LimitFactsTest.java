package fairgate.gate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.gate.limit.LimitFacts.AddressKey;
import fairgate.gate.limit.LimitGuard.ConcurrencyLimit;
import fairgate.gate.limit.LimitRule.Dimension;
import fairgate.gate.limit.LimitRule.OnFailure;
import fairgate.gate.limit.LimitRule.Semantics;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LimitFactsTest {
  private static String key(Dimension dimension, LimitFacts facts) {
    LimitRule rule = new LimitRule("x", dimension, Semantics.RATE, 1, 1, 1, OnFailure.OPEN);
    return Objects.requireNonNullElse(facts.key(rule, "GET/p"), "none");
  }

  @ParameterizedTest
  @CsvSource({
    "203.0.113.9, rl:x:203.0.113.9, rl:x:203.0.113",
    "::ffff:203.0.113.9, rl:x:203.0.113.9, rl:x:203.0.113",
    "2001:db8:1:2300::1, rl:x:20010db8000123, rl:x:20010db80001",
    "2001:db8:1:23ff:ffff::, rl:x:20010db8000123, rl:x:20010db80001",
    "2001:db8:1:2400::1, rl:x:20010db8000124, rl:x:20010db80001",
    "::1, rl:x:00000000000000, rl:x:000000000000"
  })
  void anAddressIsCountedByWhatItsOwnerHas(String address, String ip, String network) {
    assertThat(key(Dimension.IP, LimitWorld.from(address))).isEqualTo(ip);
    assertThat(key(Dimension.NETWORK, LimitWorld.from(address))).isEqualTo(network);
  }

  @Test
  void whatIsUnknownIsCountedByNothing() {
    assertThat(key(Dimension.IP, LimitFacts.NONE)).isEqualTo("none");
    assertThat(key(Dimension.NETWORK, LimitFacts.NONE)).isEqualTo("none");
    assertThat(key(Dimension.ASN, LimitFacts.NONE)).isEqualTo("none");
    assertThat(key(Dimension.USER, LimitFacts.NONE)).isEqualTo("none");
    assertThat(key(Dimension.DEVICE, LimitFacts.NONE)).isEqualTo("none");
    assertThat(key(Dimension.SESSION, LimitFacts.NONE)).isEqualTo("none");
    assertThat(key(Dimension.GLOBAL, LimitFacts.NONE)).isEqualTo("rl:x");
    assertThat(key(Dimension.ROUTE, LimitFacts.NONE)).isEqualTo("rl:x:GET/p");
  }

  @Test
  void onlyCallersWithoutACookieAndASignatureAreNewBrowsers() {
    LimitFacts unknown = LimitWorld.from("203.0.113.9");
    assertThat(key(Dimension.NEW_BROWSER, unknown)).isEqualTo("rl:x:203.0.113.9");
    assertThat(key(Dimension.NEW_BROWSER, unknown.withDevice("4f5e"))).isEqualTo("none");
    assertThat(key(Dimension.NEW_BROWSER, unknown.withUser("ann"))).isEqualTo("none");
    assertThat(key(Dimension.NEW_BROWSER, unknown.withOnce(new LimitFacts.Nonce("n", 1))))
        .isEqualTo("none");
    assertThat(key(Dimension.NEW_BROWSER, LimitFacts.NONE)).isEqualTo("none");
  }

  @Test
  void peopleAndPlacesAreCountedByAHash() {
    LimitFacts facts = LimitFacts.NONE.withSession("4f5e").withUser("ann").withDevice("4f5e");
    assertThat(key(Dimension.SESSION, facts)).matches("rl:x:[\\w-]{11}").doesNotContain("4f5e");
    assertThat(key(Dimension.DEVICE, facts)).isEqualTo(key(Dimension.SESSION, facts));
    assertThat(key(Dimension.USER, facts)).isNotEqualTo(key(Dimension.SESSION, facts));
    assertThat(key(Dimension.ASN, facts.withAsn("AS64500"))).isEqualTo("rl:x:AS64500");
  }

  @Test
  void aSignedInCallerIsCountedByTheHashOfItsAccountAndOthersByAddress() {
    LimitFacts guest = LimitWorld.from("203.0.113.9");
    LimitFacts ann = guest.withAccount("acc_ann");
    assertThat(key(Dimension.CLIENT, guest)).isEqualTo("rl:x:203.0.113.9");
    assertThat(key(Dimension.CLIENT, ann)).matches("rl:x:[\\w-]{11}").doesNotContain("ann");
    assertThat(key(Dimension.CLIENT, LimitWorld.from("::1").withAccount("acc_ann")))
        .isEqualTo(key(Dimension.CLIENT, ann));
    assertThat(key(Dimension.IP, ann)).isEqualTo("rl:x:203.0.113.9");
    assertThat(key(Dimension.NETWORK, ann)).isEqualTo("rl:x:203.0.113");
    assertThat(key(Dimension.CLIENT, LimitFacts.NONE)).isEqualTo("none");
  }

  @Test
  void slotsTellAddressesApart() {
    ConcurrencyLimit slots = new ConcurrencyLimit(2);
    long v4 =
        AddressKey.number(Objects.requireNonNull(fairgate.kernel.ClientAddress.parse("0.0.0.1")));
    long v6 =
        AddressKey.number(
            Objects.requireNonNull(fairgate.kernel.ClientAddress.parse("::1:0:0:0:0")));
    assertThat(v4).isNotEqualTo(v6);
    assertThat(slots.enter(v4)).isTrue();
    assertThat(slots.enter(v4)).isTrue();
    assertThat(slots.enter(v4)).isFalse();
    assertThat(slots.enter(v6)).isTrue();
    assertThat(slots.highest()).isEqualTo(2);
    slots.leave(v4);
    assertThat(slots.enter(v4)).isTrue();
    slots.leave(v4);
    slots.leave(v4);
    slots.leave(v6);
    assertThat(slots.callers()).isZero();
  }
}
