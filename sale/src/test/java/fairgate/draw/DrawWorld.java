package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.Buyer;
import fairgate.SaleScripts;
import fairgate.SaleWorld;
import fairgate.TestEngines;
import fairgate.TestIds;
import fairgate.catalog.Catalog;
import fairgate.catalog.PolicyJson;
import fairgate.catalog.PolicyOutcome;
import fairgate.catalog.Product;
import fairgate.catalog.ProductState;
import fairgate.draw.PostgresEntries.Entry;
import fairgate.draw.leaf.DrawRules;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.TilePaths;
import fairgate.draw.verify.BundleHead;
import fairgate.draw.verify.DrawVerifier;
import fairgate.draw.verify.Verdict;
import fairgate.draw.verify.VerifyRequest;
import fairgate.draw.witness.Witnesses;
import fairgate.kernel.Audit;
import fairgate.kernel.Caller;
import fairgate.kernel.ChallengeResult;
import fairgate.kernel.DeviceId;
import fairgate.kernel.KeyRing;
import fairgate.kernel.Money;
import fairgate.platform.http.Device;
import fairgate.platform.http.JsonBody;
import fairgate.platform.run.Batcher;
import fairgate.queue.QueueFeature;
import fairgate.queue.QueueService;
import fairgate.sale.ledger.LedgerFixture;
import fairgate.testkit.FakeDrand;
import io.vertx.core.Future;
import java.io.ByteArrayOutputStream;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/// A draw of a sale on a real Redis and a real PostgreSQL. Tests move its clock and its course
/// themselves. The clock begins at the present time, because Redis has its own.
final class DrawWorld implements AutoCloseable {
  static final String ID = "draw-1";

  final LedgerFixture books = LedgerFixture.fresh(TestEngines.shared());
  final SaleWorld sale;
  final MovedClock clock = new MovedClock();
  final FakeDrand drand;

  /// The second beacon: the same key, and a round every minute.
  final FakeDrand second;

  final DrawKeys keys =
      new DrawKeys(new KeyRing("k1", Map.of("k1", new byte[32])), "shop.example/fairgate");
  final DrawLogs logs = new DrawLogs(books.database(), keys::signer);
  final DrawFeature.Stores stores = DrawFeature.Stores.on(books.database(), logs, keys, clock);
  final Catalog catalog;
  private final QueueService queue;
  final DrawFeature.Config config;
  private final BeaconSources sources;

  /// A clock that tests move.
  static final class MovedClock extends Clock {
    private volatile long millis = System.currentTimeMillis() / 1000 * 1000;

    void set(long seconds) {
      millis = seconds * 1000;
    }

    @Override
    public Instant instant() {
      return Instant.ofEpochMilli(millis);
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      throw new UnsupportedOperationException();
    }
  }

  private DrawWorld(int units) {
    sale = SaleWorld.in("open", units, "shuffle", "draw", "max_quantity", "4", "max_user", "4");
    long now = clock.millis() / 1000;
    drand = TestBeacon.start(clock);
    second = TestBeacon.start(now, 60, clock);
    catalog = Catalog.open(books.database());
    createProduct(units);
    queue =
        new QueueService(
            sale.redis(),
            new KeyRing("k1", Map.of("k1", new byte[32])),
            new TestIds(),
            (_, _, _, _, _) -> Future.succeededFuture(new ChallengeResult.Accepted(null)),
            QueueFeature.Config.defaults(),
            Audit.none(),
            _ -> true);
    config = config(new Witnesses.Config(List.of(), 0));
    sources = new BeaconSources(config.beaconUrls());
    logs.create(keys.houseOrigin());
  }

  private DrawFeature.Config config(Witnesses.Config witnesses) {
    return new DrawFeature.Config(
        "shop.example/fairgate",
        chains(),
        List.of(drand.url(), second.url()),
        ZoneOffset.UTC,
        Duration.ofMinutes(30),
        witnesses,
        Duration.ofSeconds(90),
        Duration.ofSeconds(1));
  }

  private Draw.Chains chains() {
    return new Draw.Chains(drand.info(), second.info());
  }

  private void createProduct(int units) {
    if (PolicyJson.read(
            "{\"pre_queue\": \"draw\", \"max_quantity\": 4, \"max_per_user\": 4, \"max_per_device\": 4}")
        instanceof PolicyOutcome.Valid(var policy)) {
      var _ =
          catalog.create(
              sale.product(),
              new Product.Details("Ticket", "", new Money(100, "TWD"), units, null),
              policy,
              "test");
      var _ = catalog.step(sale.product(), ProductState.Step.OPEN, "test");
      return;
    }
    throw new IllegalStateException("the policy is not valid");
  }

  /// A draw that opens in a second, closes a minute later, and is decided at second 90.
  ///
  /// @param fields further fields of the rules, with a comma before each
  static DrawWorld announced(int units, String fields) {
    DrawWorld world = new DrawWorld(units);
    assertThat(world.announce(world.rules(fields))).isEqualTo(PostgresDraws.Created.NEW);
    return world;
  }

  /// A sale whose draw is not announced yet.
  static DrawWorld unannounced(int units) {
    return new DrawWorld(units);
  }

  /// The rules of a draw of all units.
  DrawRules rules(String fields) {
    return rules(config.witnesses(), body(", \"seal_margin_seconds\": 30" + fields));
  }

  /// The rules of a draw of all units that operators send as JSON.
  DrawRules rules(Witnesses.Config witnesses, String json) {
    return RulesDraft.read(
        JsonBody.parse(StrictText.bytes(json)),
        product(),
        () -> product().details().totalStock(),
        config(witnesses),
        clock.millis() / 1000);
  }

  PostgresDraws.Created announce(DrawRules rules) {
    logs.create(keys.entriesOrigin(ID));
    return stores.draws().create(rules, product(), chains(), 10, "test");
  }

  /// A draw in which people can enter.
  static DrawWorld open(int units, String fields) {
    DrawWorld world = announced(units, fields);
    world.open();
    return world;
  }

  /// Opens the announced draw.
  void open() {
    run();
    clock.set(draw().rules().open().orElseThrow());
    run();
    assertThat(draw().state()).isEqualTo(Draw.State.OPEN);
  }

  /// The JSON of a draw that opens in a second and closes a minute later.
  String body(String fields) {
    Instant now = clock.instant();
    return """
        {"id": "%s", "product_id": "%s", "opens_at": "%s", "closes_at": "%s",
         "claim_minutes": 60%s}
        """
        .formatted(ID, sale.product(), now.plusSeconds(1), now.plusSeconds(61), fields);
  }

  Product product() {
    return catalog.find(sale.product()).orElseThrow();
  }

  Draw draw() {
    return stores.draws().find(ID).orElseThrow();
  }

  /// A course as after a restart: it remembers nothing.
  DrawCourse course() {
    return course(clock);
  }

  private DrawCourse course(Clock clock) {
    DrawAllocation allocation = new DrawAllocation(stores, queue.winners(), keys, _ -> true, clock);
    return new DrawCourse(
        stores,
        keys,
        (_, index) -> logs.proof(keys.houseOrigin(), index, new byte[0]).map(it -> it.text()),
        allocation,
        config.patience(),
        clock);
  }

  /// Moves the draw as far as it can go now, with a fresh checkpoint.
  void run() {
    logs.publish();
    course().run(ID, sources.rounds());
    logs.publish();
    course().run(ID, sources.rounds());
  }

  /// The same once, with another clock.
  void run(Clock clock) {
    course(clock).run(ID, sources.rounds());
  }

  boolean keepBeacon(Draw draw, byte[] signature) {
    return course().keepBeacon(draw, signature);
  }

  /// Makes the sale ask for a deposit, before its draw is announced.
  void askForDeposit() {
    if (PolicyJson.read(
            "{\"pre_queue\": \"draw\", \"payment\": \"required\", \"deposit\": {\"amount\": 20}}")
        instanceof PolicyOutcome.Valid(var policy)) {
      var _ =
          catalog.update(
              sale.product(),
              was -> new Product.Draft(was.details(), policy),
              Set.of("payment", "deposit"),
              "test");
    }
  }

  /// A paid deposit of a person.
  void paysDeposit(int person) {
    int _ =
        books
            .database()
            .update(
                """
                INSERT INTO deposits (deposit_id, product_id, owner, amount, currency, passed,
                  state, payment_id, pay_by, next_try_at)
                VALUES ('order_' || $1 || '_u' || lpad($3, 25, '0'), $1, $2, 20, 'TWD',
                  'returned', 'paid', 'p' || $3, now(), now())
                """,
                sale.product().value(),
                queue.deviceHash(sale.product(), join(person).device().id()),
                Integer.toString(person));
  }

  private DrawEntries entries() {
    return new DrawEntries(
        new DrawEntries.Stores(
            new EnterDrawScript(sale.redis()),
            stores.entries(),
            Batcher.blocking("entries", 1_000, 1, stores.entries()::add)),
        keys,
        queue,
        clock);
  }

  private QueueService.JoinRequest join(int person) {
    return new QueueService.JoinRequest(
        sale.product(),
        "token",
        new Device(new DeviceId("%022d".formatted(person)), false),
        null,
        null,
        0,
        Caller.NONE,
        null);
  }

  DrawEntries.Outcome enter(int person, int quantity) {
    return entries().enter(draw(), product(), join(person), quantity).await();
  }

  Entry entered(int person, int quantity) {
    if (enter(person, quantity) instanceof DrawEntries.Outcome.Entered(Entry entry, String _)) {
      return entry;
    }
    throw new AssertionError("person " + person + " could not enter");
  }

  /// Withdraws an entry; null if it is done.
  Object withdraw(Entry entry) {
    return Objects.requireNonNullElse(entries().withdraw(draw(), entry).await(), "done");
  }

  /// Moves the clock to the round, and decides.
  void decide() {
    clock.set(draw().rules().close());
    run();
    clock.set(draw().chain().timeOf(draw().round()));
    run();
  }

  static Buyer buyer(Entry entry) {
    return new Buyer(entry.session(), entry.device(), "");
  }

  String buy(Entry entry, int quantity) {
    Buyer buyer = buyer(entry);
    return sale.scripts()
        .purchase(List.of(new SaleScripts.Buy(buyer, sale.order(buyer), quantity)))
        .await()
        .textAt(0);
  }

  /// The verdict on the public files, with a receipt.
  Verdict verify(byte[]... receipts) {
    logs.publish();
    return DrawVerifier.verify(
        VerifyRequest.everything(
                files(), Set.of(drand.chainHash(), second.chainHash()), Clock.systemUTC())
            .withReceipts(List.of(receipts)));
  }

  byte[] receipt(Entry entry) {
    logs.publish();
    return StrictText.bytes(
        logs.proof(keys.entriesOrigin(ID), entry.index(), keys.salt(entry.session()))
            .orElseThrow()
            .text());
  }

  private VerifyRequest.Files files() {
    Draw draw = draw();
    String folder = "draws/" + ID + "/";
    BundleHead head = new BundleHead(ID, keys.signer(keys.houseOrigin()).verifier());
    return path -> {
      if (path.startsWith("log/")) {
        return log(keys.houseOrigin(), path.substring("log/".length()));
      }
      if (path.startsWith(folder + "log/")) {
        return log(keys.entriesOrigin(ID), path.substring((folder + "log/").length()));
      }
      return switch (path.replace(folder, "")) {
        case BundleHead.FILE -> text(head.text());
        case "rules.json" -> text(draw.rules().json());
        case "chain.json" -> text(draw.chains().first());
        case "second-chain.json" -> text(draw.chains().second());
        case "rules.tlog-proof" -> text(draw.rulesProof());
        case "seal" -> draw.leaves().seal();
        case "seal.tlog-proof" -> text(draw.sealProof());
        case "beacon" -> draw.leaves().beacon();
        case "result" -> draw.leaves().result().map(_ -> result());
        case "allotments" -> draw.leaves().report().map(_ -> StrictText.bytes(draw.allotments()));
        default -> Optional.empty();
      };
    };
  }

  private static Optional<byte[]> text(String text) {
    return text.isEmpty() ? Optional.empty() : Optional.of(StrictText.bytes(text));
  }

  private Optional<byte[]> log(String origin, String path) {
    return path.equals("checkpoint")
        ? logs.checkpoint(origin).map(StrictText::bytes)
        : TilePaths.parse(path).flatMap(tile -> logs.tile(origin, tile));
  }

  private byte[] result() {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    int part = 0;
    byte[] leaves = stores.results().part(ID, part);
    while (leaves.length > 0) {
      all.writeBytes(leaves);
      part++;
      leaves = stores.results().part(ID, part);
    }
    return all.toByteArray();
  }

  @Override
  public void close() {
    sources.close();
    drand.close();
    second.close();
    logs.close();
    catalog.close();
    books.close();
  }
}
