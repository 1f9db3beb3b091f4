package fairgate.gate.appeal;

import fairgate.gate.appeal.AppealFeature.OpenSale;
import fairgate.gate.appeal.AppealService.Person;
import fairgate.gate.ban.Ban;
import fairgate.gate.ban.BanService;
import fairgate.gate.ban.BanService.BanDependencies;
import fairgate.gate.ban.Networks;
import fairgate.gate.challenge.GateFixture;
import fairgate.gate.risk.Explanation;
import fairgate.gate.risk.Subjects;
import fairgate.kernel.BanSubject;
import fairgate.kernel.Caller;
import fairgate.kernel.ClientAddress;
import fairgate.kernel.Decision;
import fairgate.kernel.DecisionCodec;
import fairgate.kernel.DeviceId;
import fairgate.kernel.ErrorCode;
import fairgate.kernel.ProductId;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.FreshDatabase;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Appeals on a real PostgreSQL with two nodes of bans. The clock is the real one, moved ahead by
/// hand.
final class AppealWorld implements AutoCloseable {
  static final ProductId SALE = new ProductId("7");
  static final String TEXT = "I share this network with my whole school.";
  private static final AtomicInteger PEOPLE = new AtomicInteger();

  final GateFixture fixture = new GateFixture();
  final List<OpenSale> open = new CopyOnWriteArrayList<>();
  final Metrics metrics = new Metrics();
  final FakeDecisions stored = new FakeDecisions();
  final BanService bans;
  final BanService otherNode;
  final AppealFeature feature;
  final AppealService appeals;
  private final FreshDatabase books;
  private final DecisionCodec codec = new DecisionCodec(fixture.keys);
  private final AtomicInteger serial = new AtomicInteger();
  private volatile Duration ahead = Duration.ZERO;

  /// The decisions of an engine.
  static final class FakeDecisions implements StoredDecisions {
    final List<String> results = new CopyOnWriteArrayList<>();
    volatile @Nullable Stored one;

    @Override
    public Optional<Stored> find(String ref) {
      return Optional.ofNullable(one);
    }

    @Override
    public void decided(String ref, boolean granted) {
      results.add(ref + " " + granted);
    }

    @Override
    public void seatBehind(String ref) {
      results.add(ref + " behind");
    }
  }

  AppealWorld(FreshDatabase books) {
    this.books = books;
    var _ = books.database().tx(db -> db.update("DELETE FROM bans"));
    var _ = books.database().tx(db -> db.update("DELETE FROM appeals"));
    var _ = books.database().tx(db -> db.update("DELETE FROM sale_decisions"));
    this.bans = bans();
    this.otherNode = bans();
    this.feature =
        AppealFeature.wire(
            new AppealFeature.Dependencies(
                books.database(), bans, clock(), fixture.ids, fixture.keys, metrics),
            new AppealFeature.Sales(() -> open, SALE::equals),
            stored);
    this.appeals = feature.service();
  }

  private Clock clock() {
    InstantSource source = () -> Instant.now(Clock.systemUTC()).plus(ahead);
    return source.withZone(ZoneOffset.UTC);
  }

  private BanService bans() {
    return BanService.open(
        BanService.Config.defaults(),
        new BanDependencies(
            books.vertx(),
            books.database(),
            clock(),
            fixture.keys,
            Networks.none(),
            new Metrics()));
  }

  void advance(Duration by) {
    ahead = ahead.plus(by);
  }

  long now() {
    return clock().millis();
  }

  void openSale() {
    open.add(new OpenSale(SALE, 0));
  }

  /// Somebody with a browser of their own, at an address of their own.
  static Person person() {
    int number = PEOPLE.incrementAndGet();
    return person("198.%d.%d.7".formatted(18 + number / 250, number % 250));
  }

  /// Somebody with a browser of their own.
  static Person person(String address) {
    String device = "AAAAAAAAAAAAAAAAA%05d".formatted(PEOPLE.incrementAndGet()) + "A";
    return new Person(address(address), new DeviceId(device.substring(1)), null);
  }

  static ClientAddress address(String text) {
    return Objects.requireNonNull(ClientAddress.parse(text));
  }

  Ban ban(BanSubject subject, @Nullable Duration length) {
    return ban(subject, "operator@127.0.0.1", length);
  }

  Ban ban(BanSubject subject, String actor, @Nullable Duration length) {
    return entry(Ban.Effect.BAN, subject, actor, length);
  }

  Ban entry(Ban.Effect effect, BanSubject subject, String actor, @Nullable Duration length) {
    return switch (bans.add(effect, subject, "secret", actor, length)) {
      case BanService.Outcome.Added(Ban ban) -> ban;
      case BanService.Outcome.Extended(Ban ban) -> ban;
      case BanService.Outcome.Kept _ -> throw new AssertionError("kept");
      case BanService.Outcome.Full _ -> throw new AssertionError("full");
    };
  }

  BanSubject device(Person person) {
    return BanSubject.device(Objects.requireNonNull(person.device()), fixture.keys);
  }

  boolean isBanned(BanService node, Person person) {
    Caller caller = new Caller(person.address(), "", person.device(), null, person.account());
    return node.find(person.address(), () -> caller).isPresent();
  }

  boolean isAllowed(Person person) {
    Caller caller = new Caller(person.address(), "", person.device(), null, person.account());
    return bans.allows(person.address(), () -> caller);
  }

  /// The author of the exemption of a person; empty for none.
  String exemption(Person person) {
    Caller caller = new Caller(person.address(), "", person.device(), null, person.account());
    return bans.exemptions(person.address(), () -> caller).findFirst().map(Ban::actor).orElse("");
  }

  /// The id of a refusal by a ban.
  String banned(Ban ban, Person person) {
    return id(ErrorCode.CLIENT_BANNED, "", "", ban.id(), null, person);
  }

  /// The id of a refusal by a limit.
  String limited(String rule, String version, Person person) {
    return id(ErrorCode.RATE_LIMIT_EXCEEDED, rule, version, 0, null, person);
  }

  /// The id of a refusal in the sale.
  String refused(ErrorCode code, Person person) {
    return id(code, "", "", 0, SALE, person);
  }

  /// The id of a refusal of a request that named no sale, such as one to a waiting room.
  String refusedWithoutSale(ErrorCode code, Person person) {
    return id(code, "", "", 0, null, person);
  }

  private String id(
      ErrorCode code,
      String rule,
      String version,
      long ban,
      @Nullable ProductId product,
      Person person) {
    DeviceId device = person.device();
    return codec.encode(
        new Decision(
            code,
            now() * 1_000 + serial.incrementAndGet(),
            product,
            rule,
            version,
            ban,
            "",
            Decision.tag(fixture.keys, device == null ? "" : device.value()),
            Decision.tag(fixture.keys, person.address().key())));
  }

  /// A decision in the sale that an engine has stored.
  StoredDecisions.Stored storedFor(Person person, String code, String rule, Explanation told) {
    Subjects subjects = new Subjects(fixture.keys);
    Caller caller = new Caller(person.address(), "", person.device(), null, person.account());
    return new StoredDecisions.Stored(
        code,
        SALE,
        List.of(rule),
        "4",
        now(),
        new StoredDecisions.Origin(
            SALE.value(),
            subjects.device(SALE.value(), caller),
            subjects.subject(caller),
            subjects.network(caller)),
        told,
        "{}");
  }

  Appeal file(String decision, Person person) {
    return file(decision, person, TEXT);
  }

  Appeal file(String decision, Person person, String text) {
    if (appeals.file(decision, person, text, "")
        instanceof AppealOutcome.Filed(var appeal, var _, var _)) {
      return appeal;
    }
    throw new AssertionError("not filed");
  }

  Appeal appeal(long id) {
    return appeals.evidence(id).orElseThrow().appeal();
  }

  @Override
  public void close() {
    feature.close();
    bans.close();
    otherNode.close();
    fixture.close();
  }
}
