package fairgate.gate.challenge;

import static fairgate.gate.challenge.GateFixture.join;
import static fairgate.gate.challenge.GateFixture.verdict;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.parallel.ExecutionMode.CONCURRENT;

import fairgate.kernel.ChallengeResult;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeTurnstile;
import fairgate.testkit.FakeTurnstile.Fault;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class TurnstileTest {
  /// A timeout that a busy machine does not use up.
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final ChallengeResult UNAVAILABLE = new ChallengeResult.Unavailable();
  private static final ChallengeResult ACCEPTED = new ChallengeResult.Accepted(null);

  private final GateFixture gate = new GateFixture();
  private final FakeTurnstile cloudflare = FakeTurnstile.start(gate.clock);
  private final List<WidgetChallenge> opened = new ArrayList<>();
  private final WidgetChallenge turnstile = turnstile(PATIENCE, FakeTurnstile.SECRET);

  @AfterEach
  void close() {
    opened.forEach(WidgetChallenge::close);
    cloudflare.close();
    gate.close();
  }

  @Test
  void aGoodTokenPassesOnce() {
    String token = issue();

    assertThat(verdict(turnstile.verify(token, join()))).isEqualTo(ACCEPTED);
    assertRejected(turnstile, token, "timeout-or-duplicate");
  }

  @Test
  void theRequestMatchesTheProtocol() {
    String token = issue();
    assertThat(verdict(turnstile.verify(token, join()))).isEqualTo(ACCEPTED);

    var fields = cloudflare.calls().getFirst().fields();
    assertThat(fields)
        .containsEntry("secret", FakeTurnstile.SECRET)
        .containsEntry("response", token)
        .containsEntry("remoteip", "203.0.113.9");
    UUID key = UUID.fromString(fields.get("idempotency_key"));
    assertThat(key.version()).isEqualTo(4);
    assertThat(key.variant()).isEqualTo(2);
  }

  @Test
  void theCompleteUrlIsAccepted() {
    WidgetChallenge full =
        turnstile(
            config(cloudflare.url() + "/turnstile/v0/siteverify", FakeTurnstile.SECRET, PATIENCE));

    assertThat(verdict(full.verify(issue(), join()))).isEqualTo(ACCEPTED);
  }

  @Test
  void aVerdictArrivesOnTheCallersEventLoop() {
    String token = issue();
    Promise<Boolean> same = Promise.promise();
    Context loop = gate.vertx.getOrCreateContext();

    loop.runOnContext(
        _ ->
            turnstile
                .verify(token, join())
                .onComplete(_ -> same.complete(loop.equals(Vertx.currentContext()))));

    assertThat(same.future().await()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"missing-input-response", "invalid-input-response", "timeout-or-duplicate"})
  void callerErrorsAreRejected(String code) {
    cloudflare.nextErrors(code);
    assertRejected(turnstile, issue(), code);
    assertThat(cloudflare.calls()).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"missing-input-secret", "invalid-input-secret", "bad-request", "a-new-code"})
  void ourErrorsAreNotTheCallersFault(String code) {
    cloudflare.nextErrors(code);
    assertThat(verdict(turnstile.verify(issue(), join()))).isEqualTo(UNAVAILABLE);
    assertThat(cloudflare.calls()).hasSize(1);
    assertThat(turnstile.isDown()).isFalse();
  }

  @Test
  void testSecretsBehaveAsDocumented() {
    String zeros = "0".repeat(31);
    WidgetChallenge pass = turnstile(testHost("1x" + zeros + "AA"));
    WidgetChallenge fail = turnstile(testHost("2x" + zeros + "AA"));
    WidgetChallenge spent = turnstile(testHost("3x" + zeros + "AA"));

    assertThat(verdict(pass.verify(TestChallenge.TOKEN, join()))).isEqualTo(ACCEPTED);
    assertRejected(pass, issue(), "invalid-input-response");
    assertRejected(fail, TestChallenge.TOKEN, "invalid-input-response");
    assertRejected(spent, TestChallenge.TOKEN, "timeout-or-duplicate");
    assertRejected(turnstile, TestChallenge.TOKEN, "invalid-input-response");
  }

  @Test
  void aTokenOfAnotherSiteActionOrTimeIsRejected() {
    var now = gate.clock.instant();
    assertRejected(turnstile, cloudflare.issue("evil.example", "join", now), "hostname");
    assertRejected(turnstile, cloudflare.issue("shop.example", "login", now), "action");
    String early = cloudflare.issue("shop.example", "join", cdata(join()), now.plusSeconds(61));
    assertRejected(turnstile, early, "age");
    String old = cloudflare.issue("shop.example", "join", cdata(join()), now.minusSeconds(299));
    assertThat(verdict(turnstile.verify(old, join()))).isEqualTo(ACCEPTED);
    assertRejected(
        turnstile,
        cloudflare.issue("shop.example", "join", now.minusSeconds(301)),
        "timeout-or-duplicate");
  }

  @Test
  void refusedKeysAreReportedToTheOperator() {
    assertThat(turnstile.isMisconfigured()).isFalse();
    cloudflare.nextErrors("invalid-input-secret");
    assertThat(verdict(turnstile.verify(issue(), join()))).isEqualTo(UNAVAILABLE);
    assertThat(turnstile.isMisconfigured()).isTrue();
    assertThat(verdict(turnstile.verify(issue(), join()))).isEqualTo(ACCEPTED);
    assertThat(turnstile.isMisconfigured()).isFalse();
  }

  @Test
  void aTokenOfWrongLengthIsNotForwarded() {
    assertRejected(turnstile, "", "malformed");
    assertRejected(turnstile, "x".repeat(2049), "malformed");
    assertThat(cloudflare.calls()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Fault.class,
      names = {"STATUS_429"},
      mode = EnumSource.Mode.EXCLUDE)
  @Execution(CONCURRENT)
  void oneFailureIsRetriedUnderTheSameKey(Fault trouble) {
    WidgetChallenge hasty = hasty(Duration.ofSeconds(8), trouble);
    cloudflare.next(trouble);

    ChallengeResult proof = verdict(hasty.verify(issue(), join()));

    assertThat(proof).isEqualTo(ACCEPTED);
    assertThat(cloudflare.calls())
        .hasSize(2)
        .extracting(call -> call.fields().get("idempotency_key"))
        .doesNotContainNull()
        .satisfies(keys -> assertThat(keys.getFirst()).isEqualTo(keys.getLast()));
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  @Execution(CONCURRENT)
  void withoutAResponseTheTokenIsUnavailable(Fault trouble) {
    WidgetChallenge hasty = hasty(Duration.ofSeconds(5), trouble);
    cloudflare.always(trouble);
    int calls = trouble == Fault.STATUS_429 ? 1 : 2;

    assertThat(verdict(hasty.verify(issue(), join()))).isEqualTo(UNAVAILABLE);
    Eventually.await("all calls have arrived", () -> cloudflare.calls().size() >= calls);
    assertThat(cloudflare.calls()).hasSize(calls);
  }

  @Test
  @Execution(CONCURRENT)
  void afterFiveFailuresCallsStopUntilTheServiceResponds() throws InterruptedException {
    cloudflare.always(Fault.STATUS_500);
    for (int i = 0; i < 5; i++) {
      assertThat(turnstile.isDown()).isFalse();
      assertThat(verdict(turnstile.verify(issue(), join()))).isEqualTo(UNAVAILABLE);
    }
    assertThat(turnstile.isDown()).isTrue();
    long before = callsWithoutProbes();
    assertThat(verdict(turnstile.verify(issue(), join()))).isEqualTo(UNAVAILABLE);
    assertThat(callsWithoutProbes()).isEqualTo(before);

    cloudflare.always(null);
    Eventually.await(() -> !turnstile.isDown());
    assertThat(verdict(turnstile.verify(issue(), join()))).isEqualTo(ACCEPTED);
  }

  @Test
  void concurrentCallsAreBounded() {
    cloudflare.always(Fault.SILENT);
    List<Future<ChallengeResult>> crowd = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      crowd.add(turnstile.verify("0.token-" + i, join()));
    }

    assertThat(crowd.stream().filter(Future::isComplete)).hasSize(300 - 256);
    // The others would wait for their timeout.
    cloudflare.close();
    assertThat(crowd.stream().map(GateFixture::verdict)).allMatch(UNAVAILABLE::equals);
  }

  @Test
  void anUnreachableServiceIsUnavailable() {
    cloudflare.close();
    assertThat(verdict(turnstile.verify("0.token", join()))).isEqualTo(UNAVAILABLE);
  }

  /// A token of a widget with the settings of the page.
  private String issue() {
    return cloudflare.issue("shop.example", "join", cdata(join()), gate.clock.instant());
  }

  private String cdata(ChallengeProvider.Context context) {
    return Solver.parse(turnstile.offer(context)).get("cdata").asText();
  }

  private long callsWithoutProbes() {
    return cloudflare.calls().stream()
        .filter(call -> !"probe".equals(call.fields().get("response")))
        .count();
  }

  /// Has the short timeout only where the trouble ends by it.
  private WidgetChallenge hasty(Duration timeout, Fault trouble) {
    boolean silent = trouble == Fault.SILENT || trouble == Fault.SILENT_BODY;
    return turnstile(silent ? timeout : PATIENCE, FakeTurnstile.SECRET);
  }

  private WidgetChallenge turnstile(Duration timeout, String secret) {
    return turnstile(config(cloudflare.url(), secret, timeout));
  }

  private WidgetChallenge turnstile(WidgetConfig config) {
    WidgetChallenge made = WidgetChallenge.turnstile(config, gate.seams());
    opened.add(made);
    return made;
  }

  private WidgetConfig testHost(String secret) {
    return new WidgetConfig(
        cloudflare.url(),
        "1x00000000000000000000AA",
        secret,
        List.of("example.com"),
        false,
        false,
        PATIENCE);
  }

  static WidgetConfig config(String url, String secret, Duration timeout) {
    return new WidgetConfig(
        url, "0x4AAAAAAAsite", secret, List.of("shop.example"), true, true, timeout);
  }

  private static void assertRejected(WidgetChallenge turnstile, String token, String reason) {
    assertThat(verdict(turnstile.verify(token, join())))
        .isEqualTo(new ChallengeResult.Rejected(reason));
  }
}
