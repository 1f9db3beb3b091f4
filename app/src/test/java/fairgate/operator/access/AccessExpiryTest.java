package fairgate.operator.access;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.account.AccountConfig;
import fairgate.account.AccountFeature;
import fairgate.gate.challenge.GateFixture;
import fairgate.kernel.Audit;
import fairgate.kernel.Caller;
import fairgate.kernel.Role;
import fairgate.operator.access.OperatorService.AddOutcome;
import fairgate.operator.access.OperatorSignIn.EnrolOutcome;
import fairgate.platform.admin.Operator;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Reply;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.redis.RedisClient;
import fairgate.platform.redis.RedisSettings;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.testkit.Eventually;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/// The ends of links, sessions and tokens, with a manual clock on real engines.
class AccessExpiryTest {
  private static final Duration IDLE = Duration.ofMinutes(60);
  private static final Duration ABSOLUTE = Duration.ofHours(12);

  private final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  private final GateFixture fixture = new GateFixture();
  private final RedisClient redis =
      RedisClient.connect(books.vertx(), RedisSettings.of(TestEngines.shared().redisUri())).await();
  private final AccountFeature accounts =
      AccountFeature.wire(
          AccountConfig.defaults()
              .withLimits(false)
              .withHashing(new AccountConfig.Hashing(16, 1, 1)),
          new AccountFeature.Dependencies(
              redis, books.database(), fixture.keys, fixture.ids, fixture.clock, new Metrics()));
  private final AccessFeature access =
      AccessFeature.wire(
          new AccessFeature.Config("", Role.OWNER, IDLE, ABSOLUTE, Map.of()),
          new AccessFeature.Dependencies(
              books.database(),
              accounts.passwords(),
              Optional.empty(),
              fixture.keys,
              fixture.ids,
              fixture.clock,
              Audit.none()));
  private final HttpServer server =
      HttpServer.start(
          books.vertx(),
          HttpConfig.defaults().withAddress("127.0.0.1", 0),
          List.of(
              access
                  .guard()
                  .restrict(
                      Route.blockingGet(
                              "/api/admin/me",
                              _ -> Reply.text(200, Operator.current().orElseThrow().name()))
                          .roles(Role.VIEWER))),
          new HttpDependencies(fixture.ids, fixture.keys, new Metrics()));
  private final HttpClient client = HttpClient.newHttpClient();

  @AfterEach
  void close() {
    client.close();
    accounts.close();
    redis.close();
    fixture.close();
    books.close();
  }

  private int call(String header, String value) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + "/api/admin/me"))
            .timeout(Duration.ofSeconds(60))
            .header(header, value)
            .build();
    try {
      return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  private int callWithSession(String token) {
    return call("cookie", "fairgate_operator=" + token);
  }

  private AddOutcome.Added add(String name) {
    if (access.operators().add(name, Role.OWNER, "test") instanceof AddOutcome.Added added) {
      return added;
    }
    throw new AssertionError(name);
  }

  private static String tokenOf(AddOutcome.Added added) {
    return added.link().path().substring(OperatorService.LINK_PATH.length());
  }

  private EnrolOutcome enrol(String link, String secret) {
    String code = Totp.code(TestOperator.decode(secret), fixture.clock.instant());
    return access.signIn().enrol(link, TestOperator.PASSWORD, code, Caller.NONE);
  }

  private String session(AddOutcome.Added added) {
    String link = tokenOf(added);
    String secret = access.signIn().welcome(link).orElseThrow().secret();
    if (enrol(link, secret) instanceof EnrolOutcome.Enrolled(String token, _)) {
      return token;
    }
    throw new AssertionError("not enrolled");
  }

  @Test
  void aLinkEndsAfterADay() {
    String link = tokenOf(add("anna"));
    String secret = access.signIn().welcome(link).orElseThrow().secret();
    fixture.clock.advance(OperatorService.LINK_LIFE.minusSeconds(1));
    assertThat(access.signIn().welcome(link)).isPresent();
    fixture.clock.advance(Duration.ofSeconds(1));
    assertThat(access.signIn().welcome(link)).isEmpty();
    assertThat(enrol(link, secret)).isInstanceOf(EnrolOutcome.LinkEnded.class);
    assertThat(access.operators().firstOwner()).as("nobody can sign in yet").isPresent();
  }

  @Test
  void anUnusedSessionEnds() {
    String token = session(add("anna"));
    fixture.clock.advance(IDLE.minusSeconds(1));
    assertThat(callWithSession(token)).isEqualTo(200);
    AddOutcome.Added bert = add("bert");
    String other = session(bert);
    fixture.clock.advance(IDLE);
    assertThat(callWithSession(other)).isEqualTo(401);
    assertThat(access.credentials().sessions(bert.operator().id())).isEmpty();
  }

  @Test
  void aSessionInUseEndsAtItsAbsoluteEnd() {
    AddOutcome.Added anna = add("anna");
    String token = session(anna);
    Duration step = Duration.ofMinutes(50);
    Duration used = Duration.ZERO;
    while (used.plus(step).compareTo(ABSOLUTE) < 0) {
      fixture.clock.advance(step);
      used = used.plus(step);
      assertThat(callWithSession(token)).as(used.toString()).isEqualTo(200);
      Eventually.await(
          "the use is stored",
          () ->
              access
                  .credentials()
                  .sessions(anna.operator().id())
                  .getFirst()
                  .seenAt()
                  .equals(fixture.clock.instant()));
    }
    fixture.clock.advance(step);
    assertThat(callWithSession(token)).isEqualTo(401);
  }

  @Test
  void aPersonalTokenEndsAtItsExpiry() {
    AddOutcome.Added anna = add("anna");
    String id = anna.operator().id();
    String secret =
        access
            .credentials()
            .createToken(
                id, "script", Role.VIEWER, fixture.clock.instant().plus(Duration.ofDays(1)))
            .orElseThrow()
            .secret();
    assertThat(call("Authorization", "Bearer " + secret)).isEqualTo(200);
    fixture.clock.advance(Duration.ofDays(1));
    assertThat(call("Authorization", "Bearer " + secret)).isEqualTo(401);
  }

  @Test
  void anOperatorHasAtMostTenSessionsAndTheOldestMakesRoom() {
    AddOutcome.Added anna = add("anna");
    String id = anna.operator().id();
    String link = tokenOf(anna);
    String secret = access.signIn().welcome(link).orElseThrow().secret();
    EnrolOutcome enrolled = enrol(link, secret);
    assertThat(enrolled).isInstanceOf(EnrolOutcome.Enrolled.class);
    for (int i = 0; i < 11; i++) {
      fixture.clock.advance(Duration.ofSeconds(30));
      String code = Totp.code(TestOperator.decode(secret), fixture.clock.instant());
      assertThat(access.signIn().signIn("anna", TestOperator.PASSWORD, code, Caller.NONE))
          .isInstanceOf(OperatorSignIn.Outcome.Granted.class);
    }
    assertThat(access.credentials().sessions(id)).hasSize(10);
  }
}
