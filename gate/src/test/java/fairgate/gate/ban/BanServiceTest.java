package fairgate.gate.ban;

import static fairgate.gate.ban.BanNode.address;
import static fairgate.gate.ban.BanNode.subject;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import fairgate.TestEngines;
import fairgate.gate.challenge.GateFixture;
import fairgate.kernel.BanSubject;
import fairgate.kernel.BanSubject.Kind;
import fairgate.kernel.Caller;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ProductId;
import fairgate.kernel.SessionId;
import fairgate.platform.postgres.FreshDatabase;
import fairgate.platform.postgres.PostgresRefusal;
import fairgate.testkit.Eventually;
import fairgate.testkit.MmdbFile;
import io.vertx.core.Future;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BanServiceTest {
  private static final Duration HOUR = Duration.ofHours(1);

  private static final FreshDatabase BOOKS = new FreshDatabase(TestEngines.shared());
  private final GateFixture fixture = new GateFixture();
  @TempDir private Path folder;

  @SuppressWarnings("NullAway.Init")
  private BanNode one;

  @SuppressWarnings("NullAway.Init")
  private BanNode other;

  @AfterAll
  static void closeBooks() {
    BOOKS.close();
  }

  @BeforeEach
  void open() {
    var _ = BOOKS.database().tx(db -> db.update("DELETE FROM bans"));
    Path asns = folder.resolve("asn.mmdb");
    new MmdbFile().asn("203.0.113.0/24", 64_500).write(asns);
    Path countries = folder.resolve("country.mmdb");
    new MmdbFile()
        .add("192.0.2.128/25", Map.of("country", Map.of("iso_code", "TW")))
        .write(countries);
    BanService.Config config = BanService.Config.defaults();
    Networks.Config files = Networks.Config.none().withAsns(asns).withCountries(countries);
    one = new BanNode(BOOKS.vertx(), BOOKS.database(), fixture, config, files);
    other = new BanNode(BOOKS.vertx(), BOOKS.database(), fixture, config, files);
  }

  @AfterEach
  void close() {
    one.close();
    other.close();
    fixture.close();
  }

  private Ban add(Ban.Effect effect, BanSubject subject, @Nullable Duration length) {
    BanService.Outcome outcome = one.bans.add(effect, subject, "because", "operator", length);
    assertThat(outcome).isInstanceOf(BanService.Outcome.Added.class);
    return ((BanService.Outcome.Added) outcome).ban();
  }

  @Test
  void aBanIsInForceHereAtOnceAndSoonOnAllNodes() {
    Ban ban = add(Ban.Effect.BAN, subject(Kind.NETWORK, "198.51.100.0/24"), HOUR);
    assertThat(one.banned("198.51.100.7")).isTrue();
    assertThat(one.banned("198.51.101.7")).isFalse();
    Eventually.await("the other node knows", () -> other.banned("198.51.100.7"));
    assertThat(other.bans.lift(ban.id(), "somebody")).isPresent();
    assertThat(other.banned("198.51.100.7")).isFalse();
    Eventually.await("the first node knows", () -> !one.banned("198.51.100.7"));
    assertThat(one.bans.lift(ban.id(), "again")).isEmpty();
  }

  @Test
  void aResultReadBeforeALiftDoesNotRestoreTheBan() {
    BanSubject subject = subject(Kind.SESSION, "00000000-0000-4000-8000-000000000001");
    Ban ban = add(Ban.Effect.BAN, subject, HOUR);
    PostgresBans store = new PostgresBans(BOOKS.database());
    BanLists lists = new BanLists(fixture.keys, Networks.none());
    BanSync sync =
        new BanSync(BOOKS.vertx(), store, lists, Clock.systemUTC(), _ -> Future.succeededFuture());
    long asked = sync.localChanges();
    List<Ban.Entry> picture = store.changes(0).await();
    sync.changeLocally(
        () ->
            lists.apply(
                store.lift(ban.id(), null, "somebody").orElseThrow(), System.currentTimeMillis()));
    sync.take(picture, asked);
    assertThat(lists.of(Ban.Effect.BAN).get(subject)).isNull();
    sync.take(store.changes(0).await(), sync.localChanges());
    assertThat(lists.of(Ban.Effect.BAN).get(subject)).isNull();
    sync.take(picture, sync.localChanges());
    assertThat(lists.of(Ban.Effect.BAN).get(subject)).as("what a picture says").isNotNull();
  }

  @Test
  void aNewNodeLoadsTheBansInForce() {
    add(Ban.Effect.BAN, subject(Kind.IP, "198.51.100.7"), HOUR);
    try (BanNode late =
        new BanNode(
            BOOKS.vertx(),
            BOOKS.database(),
            fixture,
            BanService.Config.defaults(),
            Networks.Config.none())) {
      assertThat(late.banned("198.51.100.7")).isTrue();
    }
  }

  @Test
  void aBanExpires() {
    add(Ban.Effect.BAN, subject(Kind.IP, "198.51.100.7"), HOUR);
    one.advance(Duration.ofMinutes(59));
    assertThat(one.banned("198.51.100.7")).isTrue();
    one.advance(Duration.ofMinutes(2));
    assertThat(one.banned("198.51.100.7")).isFalse();
    add(Ban.Effect.BAN, subject(Kind.IP, "198.51.100.8"), null);
    one.advance(Duration.ofDays(100_000));
    assertThat(one.banned("198.51.100.8")).isTrue();
  }

  @Test
  void everyNodeThatLearnsOfAnAccountBanEndsItsPlaces() {
    List<String> here = new CopyOnWriteArrayList<>();
    List<String> there = new CopyOnWriteArrayList<>();
    one.bans.onAccountBan(account -> told(here, account));
    other.bans.onAccountBan(account -> told(there, account));
    var _ = add(Ban.Effect.ALLOW, BanSubject.account("acc_friend"), HOUR);
    var _ = add(Ban.Effect.BAN, subject(Kind.IP, "198.51.100.7"), HOUR);
    var _ = add(Ban.Effect.BAN, BanSubject.account("acc_1"), HOUR);
    assertThat(here).as("before the operator is answered").containsExactly("acc_1");
    Eventually.await("the other node was told", () -> there.contains("acc_1"));
    assertThat(there).containsOnly("acc_1");
  }

  private static Future<Void> told(List<String> accounts, String account) {
    accounts.add(account);
    return Future.succeededFuture();
  }

  @Test
  void aFurtherBanExtendsTheBanAndNeverShortensIt() {
    BanSubject subject = subject(Kind.IP, "198.51.100.7");
    Ban first = add(Ban.Effect.BAN, subject, HOUR);
    BanService.Outcome shorter =
        one.bans.add(Ban.Effect.BAN, subject, "more", "other", Duration.ofMinutes(1));
    assertThat(shorter)
        .isInstanceOfSatisfying(
            BanService.Outcome.Extended.class,
            extended -> {
              assertThat(extended.ban().id()).isEqualTo(first.id());
              assertThat(extended.ban().until()).isEqualTo(first.until());
              assertThat(extended.ban().reason()).isEqualTo("more");
            });
    BanService.Outcome longer = one.bans.add(Ban.Effect.BAN, subject, "more", "other", null);
    assertThat(longer)
        .isInstanceOfSatisfying(
            BanService.Outcome.Extended.class,
            extended -> assertThat(extended.ban().until()).isEqualTo(Ban.FOR_EVER));
  }

  @Test
  void anExpiredBanIsReplacedAndStaysOnRecord() {
    BanSubject subject = subject(Kind.IP, "198.51.100.7");
    Ban first = add(Ban.Effect.BAN, subject, Duration.ofMillis(1));
    Eventually.await(
        "it has run out", () -> BOOKS.number("SELECT count(*) FROM bans WHERE until < now()") == 1);
    Ban second = add(Ban.Effect.BAN, subject, HOUR);
    assertThat(second.id()).isNotEqualTo(first.id());
    Ban.Query all = new Ban.Query(null, Kind.IP, "198.51.100.7", true, 0, 10);
    assertThat(one.bans.list(all))
        .extracting(entry -> entry.ban().id(), Ban.Entry::liftedBy)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(second.id(), null),
            org.assertj.core.groups.Tuple.tuple(first.id(), "time"));
    Ban.Query live = new Ban.Query(Ban.Effect.BAN, null, null, false, 0, 10);
    assertThat(one.bans.list(live)).hasSize(1);
    Eventually.await("the other node has the newer", () -> other.banned("198.51.100.7"));
  }

  @Test
  void everyKindOfSubjectIsFound() {
    DeviceId device = fixture.ids.device();
    SessionId session = new SessionId("3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11");
    Caller nobody = new Caller(address("192.0.2.1"), "", null, null, null);
    add(Ban.Effect.BAN, BanSubject.device(device, fixture.keys), HOUR);
    add(Ban.Effect.BAN, BanSubject.session(session), HOUR);
    add(Ban.Effect.BAN, BanSubject.account("mallory"), HOUR);
    add(Ban.Effect.BAN, subject(Kind.ASN, "AS64500"), HOUR);
    add(Ban.Effect.BAN, subject(Kind.COUNTRY, "tw"), HOUR);
    add(Ban.Effect.BAN, BanSubject.client(address("2001:db8:1:2::3")), HOUR);
    assertThat(one.banned(nobody)).isFalse();
    assertThat(one.banned(nobody.in(session))).isTrue();
    assertThat(one.banned(new Caller(nobody.address(), "", device, null, null))).isTrue();
    assertThat(one.banned(new Caller(nobody.address(), "", null, null, "mallory"))).isTrue();
    assertThat(one.banned(new Caller(nobody.address(), "", null, null, "alice"))).isFalse();
    assertThat(one.banned("203.0.113.9")).isTrue();
    assertThat(one.banned("192.0.2.129")).isTrue();
    assertThat(one.banned("2001:db8:1:ff::9")).isTrue();
    assertThat(one.banned("2001:db8:1:100::9")).isFalse();
  }

  @Test
  void aNodeWithoutTheFileCannotApplyBansByCountryAndReportsIt() {
    assertThat(one.bans.canApply(Kind.COUNTRY)).isTrue();
    add(Ban.Effect.BAN, subject(Kind.COUNTRY, "TW"), HOUR);
    Eventually.await("it is up to date", () -> !one.bans.status().degraded());
    try (BanNode bare =
        new BanNode(
            BOOKS.vertx(),
            BOOKS.database(),
            fixture,
            BanService.Config.defaults(),
            Networks.Config.none())) {
      assertThat(bare.bans.canApply(Kind.COUNTRY)).isFalse();
      assertThat(bare.bans.canApply(Kind.ASN)).isFalse();
      assertThat(bare.banned("192.0.2.129")).isFalse();
      assertThat(bare.bans.status().detail()).contains("country");
    }
  }

  @Test
  void anEntryThatAnAppealLeftForAnAddressDoesNotHideTheExemptionOfItsNetwork() {
    Ban wide = add(Ban.Effect.ALLOW, subject(Kind.NETWORK, "203.0.113.0/24"), HOUR);
    Caller caller = new Caller(address("203.0.113.9"), "", null, null, null);
    BanSubject client = BanSubject.client(caller.address());
    var _ = one.bans.exemptAfterAppeal(client, "appeal 1", Ban.ROOMS, HOUR);
    assertThat(one.bans.get(Ban.Effect.ALLOW, client).map(Ban::actor)).contains(Ban.ROOMS);
    assertThat(one.bans.allows(caller.address(), () -> caller)).isTrue();
    assertThat(one.bans.lift(wide.id(), "operator")).isPresent();
    assertThat(one.bans.allows(caller.address(), () -> caller)).isFalse();
  }

  @Test
  void theAllowListWinsOverEveryBan() {
    SessionId session = new SessionId("3f0c1c1e-7c1f-4d36-9a53-0d0f9e6f2a11");
    add(Ban.Effect.BAN, subject(Kind.IP, "203.0.113.9"), HOUR);
    add(Ban.Effect.BAN, BanSubject.session(session), HOUR);
    Ban wide = add(Ban.Effect.ALLOW, subject(Kind.NETWORK, "203.0.0.0/16"), HOUR);
    Caller caller = new Caller(address("203.0.113.9"), "", null, session, null);
    assertThat(one.banned(caller)).isFalse();
    assertThat(one.bans.allows(caller.address(), () -> caller)).isTrue();
    assertThat(one.bans.lift(wide.id(), "operator")).isPresent();
    assertThat(one.banned(caller)).isTrue();
    add(Ban.Effect.ALLOW, BanSubject.session(session), HOUR);
    assertThat(one.banned(caller)).isFalse();
    add(Ban.Effect.ALLOW, subject(Kind.ASN, "64500"), HOUR);
    assertThat(one.banned("203.0.113.9")).isFalse();
  }

  @Test
  void anAppealCountsInANetworkThatIsOnTheAllowList() {
    DeviceId device = fixture.ids.device();
    add(Ban.Effect.ALLOW, subject(Kind.NETWORK, "203.0.0.0/16"), HOUR);
    BanSubject person = BanSubject.device(device, fixture.keys);
    Caller caller = new Caller(address("203.0.113.9"), "", device, null, null);
    for (String author : List.of(Ban.APPEAL, Ban.ROOMS)) {
      assertThat(one.bans.add(Ban.Effect.ALLOW, person, "because", author, HOUR))
          .isInstanceOf(BanService.Outcome.Added.class);
      assertThat(one.bans.exemptions(caller.address(), () -> caller))
          .extracting(Ban::actor)
          .containsExactly(author, "operator");
      assertThat(one.bans.allows(caller.address(), () -> caller))
          .as("the network is spared the limits, whatever was decided about the person")
          .isTrue();
      one.bans
          .get(Ban.Effect.ALLOW, person)
          .ifPresent(entry -> assertThat(one.bans.lift(entry.id(), "operator")).isPresent());
    }
  }

  @Test
  void anOperatorWhoseNameBeginsLikeThatOfAppealsIsNone() {
    DeviceId device = fixture.ids.device();
    BanSubject person = BanSubject.device(device, fixture.keys);
    assertThat(one.bans.add(Ban.Effect.ALLOW, person, "because", "appeals", HOUR))
        .isInstanceOf(BanService.Outcome.Added.class);
    Caller caller = new Caller(address("203.0.113.9"), "", device, null, null);
    assertThat(one.bans.exemptions(caller.address(), () -> caller))
        .hasSize(1)
        .noneMatch(Ban::followsAppeal)
        .noneMatch(Ban::isLeftByAppeal);
  }

  @Test
  void anEntryThatSparesOneChallengeSparesNothingElse() {
    DeviceId device = fixture.ids.device();
    String once = Ban.once(new ProductId("7"));
    BanSubject person = BanSubject.device(device, fixture.keys);
    assertThat(one.bans.add(Ban.Effect.ALLOW, person, "because", once, HOUR))
        .isInstanceOf(BanService.Outcome.Added.class);
    Caller caller = new Caller(address("203.0.113.9"), "", device, null, null);
    assertThat(one.bans.allows(caller.address(), () -> caller)).isFalse();
    assertThat(one.bans.exemptions(caller.address(), () -> caller)).noneMatch(Ban::followsAppeal);
    var _ = one.bans.add(Ban.Effect.BAN, BanSubject.client(caller.address()), "bots", "ops", HOUR);
    assertThat(one.bans.find(caller.address(), () -> caller)).as("a ban by address").isPresent();
  }

  @Test
  void aNodeWithoutUpdatesReportsIt() {
    Eventually.await("it is up to date", () -> !one.bans.status().degraded());
    // It may ask at the very moment.
    Eventually.await(
        "it reports it",
        () -> {
          one.advance(Duration.ofMinutes(1));
          return one.bans.status().degraded();
        });
    Eventually.await("it has asked again", () -> !one.bans.status().degraded());
    assertThat(one.bans.feedStatus().degraded()).isFalse();
  }

  @Test
  void aBanStaysWhenItsReplacementIsRefused() {
    Ban ban = add(Ban.Effect.BAN, subject(Kind.IP, "198.51.100.7"), null);
    // PostgreSQL stores no NUL.
    assertThatThrownBy(() -> one.bans.replaceAfterAppeal(ban, "a\0", HOUR))
        .isInstanceOf(PostgresRefusal.class);
    assertThat(one.bans.entry(ban.id()).orElseThrow().liftedAt()).isZero();
    assertThat(one.bans.find(address("198.51.100.7"), () -> Caller.NONE)).contains(ban);
  }
}
