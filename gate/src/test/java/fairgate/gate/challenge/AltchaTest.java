package fairgate.gate.challenge;

import static fairgate.gate.challenge.GateFixture.DEVICE;
import static fairgate.gate.challenge.GateFixture.EASY;
import static fairgate.gate.challenge.GateFixture.FRESH;
import static fairgate.gate.challenge.GateFixture.SEVEN;
import static fairgate.gate.challenge.GateFixture.device;
import static fairgate.gate.challenge.GateFixture.join;
import static fairgate.gate.challenge.GateFixture.verdict;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.ProductId;
import fairgate.platform.http.Device;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AltchaTest {
  private static final String HOME = join().clientAddress();

  private final GateFixture gate = new GateFixture();
  private final Altcha altcha = gate.altcha(EASY);

  @AfterEach
  void close() {
    altcha.close();
    gate.close();
  }

  @Test
  void aSolutionPassesAndHasItsSingleUseKey() {
    String challenge = altcha.offer(join());

    ChallengeResult proof = verdict(altcha.verify(Solver.solve(challenge), join()));

    String nonce = Solver.parse(challenge).get("parameters").get("nonce").asText();
    assertThat(proof)
        .isEqualTo(
            new ChallengeResult.Accepted(
                new ChallengeResult.SingleUse(nonce, Duration.ofMinutes(11))));
  }

  @Test
  void theChallengeIsTheProtocolsObject() {
    ObjectNode challenge = Solver.parse(altcha.offer(join()));

    assertThat(challenge.properties())
        .extracting(Map.Entry::getKey)
        .containsExactly("parameters", "signature");
    assertThat(challenge.get("parameters").properties())
        .extracting(Map.Entry::getKey)
        .containsExactly(
            "algorithm", "cost", "data", "expiresAt", "keyLength", "keyPrefix", "nonce", "salt");
    assertThat(challenge.get("parameters").get("data").toString())
        .matches(
            "\\{\"action\":\"join\",\"device\":\"[\\w-]{16}\",\"fresh\":true,\"issued\":1\\d{12},\"kid\":\"k1\","
                + "\"network\":\"[\\w-]{16}\",\"product\":\"7\"}");
  }

  @Test
  void everyChallengeIsDifferent() {
    assertThat(altcha.offer(join())).isNotEqualTo(altcha.offer(join()));
  }

  @Test
  void aSolutionWithTheDefaultsPasses() {
    try (Altcha real = gate.altcha(AltchaConfig.defaults())) {
      assertThat(verdict(real.verify(Solver.solve(real.offer(join())), join())))
          .isInstanceOf(ChallengeResult.Accepted.class);
    }
  }

  @Test
  void aSolutionIsRefusedFromTheSecondOfItsExpiry() {
    String token = Solver.solve(altcha.offer(join()));

    gate.clock.advance(Duration.ofSeconds(599));
    assertThat(verdict(altcha.verify(token, join())))
        .isInstanceOfSatisfying(
            ChallengeResult.Accepted.class,
            accepted ->
                assertThat(accepted.once())
                    .extracting(ChallengeResult.SingleUse::remember)
                    .isEqualTo(Duration.ofSeconds(61)));

    gate.clock.advance(Duration.ofSeconds(1));
    assertRejected(token, join(), "expired");
  }

  @Test
  void aSolutionIsValidOnlyForItsProductAndAction() {
    String token = Solver.solve(altcha.offer(join()));

    assertRejected(
        token,
        ChallengeProvider.Context.join(new ProductId("8"), HOME, FRESH),
        "made for something else");
    assertRejected(
        token,
        new ChallengeProvider.Context("claim", SEVEN, HOME, FRESH, false),
        "made for something else");
  }

  @Test
  void aKnownBrowsersChallengeIsValidOnlyForIt() {
    ChallengeProvider.Context own = ChallengeProvider.Context.join(SEVEN, HOME, DEVICE);
    ChallengeProvider.Context other =
        ChallengeProvider.Context.join(SEVEN, HOME, device("BBBBBBBBBBBBBBBBBBBBBB", false));
    String challenge = altcha.offer(own);
    String token = Solver.solve(challenge);

    assertThat(challenge).doesNotContain(DEVICE.id().value());
    assertThat(verdict(altcha.verify(token, own))).isInstanceOf(ChallengeResult.Accepted.class);
    assertRejected(token, other, "made for something else");
    assertRejected(token, join(), "made for something else");
  }

  @Test
  void aFirstVisitorsChallengeIsValidWithItsNewCookieOrWithoutAnyButNotWithAnother() {
    String token = Solver.solve(altcha.offer(join()));

    Device cookieSet = new Device(FRESH.id(), false);
    Device noCookie = device("BBBBBBBBBBBBBBBBBBBBBB", true);
    for (Device device : List.of(cookieSet, noCookie)) {
      assertThat(verdict(altcha.verify(token, ChallengeProvider.Context.join(SEVEN, HOME, device))))
          .isInstanceOf(ChallengeResult.Accepted.class);
    }
    assertRejected(
        token, ChallengeProvider.Context.join(SEVEN, HOME, DEVICE), "made for something else");
  }

  @ParameterizedTest
  @CsvSource({
    "203.0.113.9, 203.0.113.250",
    "203.0.113.9, ::ffff:203.0.113.10",
    "::ffff:cb00:7109, 203.0.113.9",
    "2001:db8:1:200::1, 2001:db8:1:2ff:ffff::2"
  })
  void aSolutionIsValidInTheNetworkOfItsChallenge(String fetched, String joined) {
    String challenge = altcha.offer(ChallengeProvider.Context.join(SEVEN, fetched, DEVICE));

    assertThat(challenge).doesNotContain(fetched);
    assertThat(
            verdict(
                altcha.verify(
                    Solver.solve(challenge),
                    ChallengeProvider.Context.join(SEVEN, joined, DEVICE))))
        .isInstanceOf(ChallengeResult.Accepted.class);
  }

  @ParameterizedTest
  @CsvSource({
    "203.0.113.9, 203.0.112.9",
    "203.0.113.9, ::ffff:203.0.114.9",
    "203.0.113.9, ::203.0.113.9",
    "203.0.113.9, 2001:db8:1:200::1",
    "2001:db8:1:200::1, 2001:db8:1:300::1",
    "2001:db8:1:200::1, 2001:db8:2:200::1",
    "2001:db8:1:200::1, 203.0.113.9"
  })
  void aSolutionIsInvalidInAnotherNetwork(String fetched, String joined) {
    String known =
        Solver.solve(altcha.offer(ChallengeProvider.Context.join(SEVEN, fetched, DEVICE)));
    String first =
        Solver.solve(altcha.offer(ChallengeProvider.Context.join(SEVEN, fetched, FRESH)));

    ChallengeProvider.Context moved = ChallengeProvider.Context.join(SEVEN, joined, DEVICE);
    assertRejected(known, moved, "made in another network");
    assertRejected(
        first, ChallengeProvider.Context.join(SEVEN, joined, FRESH), "made in another network");
  }

  @Test
  void aChallengeLivesForTwoMinutesByDefault() {
    assertThat(AltchaConfig.defaults().life()).isEqualTo(Duration.ofMinutes(2));
  }

  @Test
  void noSignedFieldCanBeChanged() {
    List<ObjectNode> forged = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      forged.add(Solver.parse(altcha.offer(join())));
    }
    parameters(forged.get(0)).put("cost", 1);
    parameters(forged.get(1)).put("keyPrefix", "0");
    parameters(forged.get(2)).put("keyPrefix", "");
    parameters(forged.get(3)).put("expiresAt", 4_000_000_000L);
    parameters(forged.get(4)).put("nonce", "00000000000000000000000000000000");
    parameters(forged.get(5)).put("salt", "00000000000000000000000000000000");
    ((ObjectNode) parameters(forged.get(6)).get("data")).put("product", "8");
    ((ObjectNode) parameters(forged.get(7)).get("data")).put("kid", "k2");

    ((ObjectNode) parameters(forged.get(8)).get("data")).put("network", "AAAAAAAAAAAAAAAA");

    for (ObjectNode challenge : forged) {
      String token = Solver.token(challenge, Solver.search(challenge.get("parameters")));
      assertRejected(token, join(), "signature");
      assertRejected(
          token, ChallengeProvider.Context.join(new ProductId("8"), HOME, FRESH), "signature");
    }
  }

  @Test
  void anotherServersSignatureIsRefused() {
    try (Altcha stranger = new Altcha(EASY, gate.seams(GateFixture.keys("k1", "k1", "x")));
        Altcha thief = new Altcha(EASY, gate.seams(GateFixture.keys("x", "x")))) {
      assertThat(verdict(altcha.verify(Solver.solve(stranger.offer(join())), join())))
          .isInstanceOf(ChallengeResult.Accepted.class);
      assertRejected(Solver.solve(thief.offer(join())), join(), "signature");
    }
  }

  @Test
  void aChallengeSurvivesTheRotationOfKeys() {
    String token = Solver.solve(altcha.offer(join()));
    try (Altcha rotated = new Altcha(EASY, gate.seams(GateFixture.keys("k2", "k1", "k2")));
        Altcha later = new Altcha(EASY, gate.seams(GateFixture.keys("k2", "k2")))) {
      assertThat(verdict(rotated.verify(token, join())))
          .isInstanceOf(ChallengeResult.Accepted.class);
      assertThat(verdict(later.verify(token, join())))
          .isEqualTo(new ChallengeResult.Rejected("signature"));
    }
  }

  /// A known bug of several verifiers: the derived key is right, but lacks the prefix.
  @Test
  void aRightKeyWithoutThePrefixIsInvalid() {
    ObjectNode challenge = Solver.parse(altcha.offer(join()));
    for (long counter = 0; counter < 50; counter++) {
      String key = Solver.key(challenge.get("parameters"), counter);
      if (!key.startsWith("00")) {
        assertRejected(Solver.token(challenge, Solver.solution(counter, key)), join(), "solution");
      }
    }
  }

  @Test
  void aPrefixWithoutTheRightKeyIsInvalid() {
    ObjectNode challenge = Solver.parse(altcha.offer(join()));
    ObjectNode solution = Solver.search(challenge.get("parameters"));
    String key = solution.get("derivedKey").asText();

    for (String wrong :
        List.of(
            "0".repeat(64), key.substring(0, 63), key + "0", key.toUpperCase(Locale.ROOT), "")) {
      assertRejected(
          Solver.token(challenge, Solver.solution(solution.get("counter").asLong(), wrong)),
          join(),
          "solution");
    }
  }

  @Test
  void aCounterStaysWithin32Bits() {
    ObjectNode challenge = Solver.parse(altcha.offer(join()));
    ObjectNode solution = Solver.search(challenge.get("parameters"));
    String key = solution.get("derivedKey").asText();
    long counter = solution.get("counter").asLong();

    for (long wrapped : new long[] {counter + (1L << 32), counter - (1L << 32), -1}) {
      assertRejected(Solver.token(challenge, Solver.solution(wrapped, key)), join(), "counter");
    }
    ObjectNode decimal = Solver.solution(0, key).put("counter", (double) counter);
    assertRejected(Solver.token(challenge, decimal), join(), "malformed");
    ObjectNode text = Solver.solution(0, key).put("counter", Long.toString(counter));
    assertRejected(Solver.token(challenge, text), join(), "malformed");
  }

  @Test
  void aTextThatIsNoPayloadIsMalformed() {
    String good = Solver.solve(altcha.offer(join()));
    ObjectNode extra = Solver.open(good);
    ((ObjectNode) extra.get("challenge").get("parameters")).put("memoryCost", 1);
    ObjectNode long1 = Solver.open(good).put("padding", "x".repeat(4096));

    for (String token :
        List.of(
            "",
            "x",
            "XXXX.DUMMY.TOKEN.XXXX",
            good + "\n",
            good.replaceFirst("=*$", "==="),
            good.substring(4),
            Solver.encode("{}"),
            Solver.encode("[]"),
            Solver.encode("{\"challenge\":{},\"solution\":{}}"),
            Solver.encode("{\"a\":".repeat(500)),
            Solver.encode(extra.toString()),
            Solver.encode(long1.toString()))) {
      assertRejected(token, join(), "malformed");
    }
  }

  @Test
  void expensiveSolutionsAreVerifiedOffTheEventLoop() {
    AltchaConfig dear = new AltchaConfig("SHA-256", 5000, "0", Duration.ofMinutes(1));
    try (Altcha slow = gate.altcha(dear)) {
      ObjectNode challenge = Solver.parse(slow.offer(join()));
      ObjectNode solution = Solver.search(challenge.get("parameters"));

      assertThat(verdict(slow.verify(Solver.token(challenge, solution), join())))
          .isInstanceOf(ChallengeResult.Accepted.class);
      solution.put("derivedKey", "0".repeat(64));
      assertThat(verdict(slow.verify(Solver.token(challenge, solution), join())))
          .isEqualTo(new ChallengeResult.Rejected("solution"));
    }
  }

  private static ObjectNode parameters(ObjectNode challenge) {
    return (ObjectNode) challenge.get("parameters");
  }

  private void assertRejected(String token, ChallengeProvider.Context context, String reason) {
    assertThat(verdict(altcha.verify(token, context)))
        .isEqualTo(new ChallengeResult.Rejected(reason));
  }
}
