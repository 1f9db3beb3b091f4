package fairgate.draw;

import static org.assertj.core.api.Assertions.assertThat;

import fairgate.TestEngines;
import fairgate.TestIds;
import fairgate.app.TestFairgate;
import fairgate.app.config.MasterSecret;
import fairgate.draw.leaf.EntryLeaf;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.draw.tlog.SignerKey;
import fairgate.draw.tlog.StrictText;
import fairgate.draw.tlog.VerifierKey;
import fairgate.draw.witness.WitnessRoutes;
import fairgate.draw.witness.WitnessService;
import fairgate.kernel.KeyRing;
import fairgate.platform.embedded.PostgresAddress;
import fairgate.platform.feature.Secret;
import fairgate.platform.http.HttpConfig;
import fairgate.platform.http.HttpDependencies;
import fairgate.platform.http.HttpServer;
import fairgate.platform.http.Loops;
import fairgate.platform.json.Json;
import fairgate.platform.json.JsonObject;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.postgres.PostgresSettings;
import fairgate.platform.postgres.TestDatabase;
import fairgate.testkit.Eventually;
import fairgate.testkit.FakeDrand;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/// A server with a draw, witnesses that are asked over sockets, and a beacon chain whose rounds are
/// recorded.
public final class DrawScene implements AutoCloseable {
  public static final String DRAW = "autumn";
  public static final String PRODUCT = "71";
  private static final String LOG = "shop.example/fairgate";
  private static final String MASTER =
      "k1:000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
  private static final int BATCH = 5_000;
  private static final String ADD =
      """
      INSERT INTO draw_entries (draw, index, session, uniq, leaf, quantity, device, entered_at)
      SELECT $1, n.index, n.session, n.uniq, n.leaf, 1, 'stranger', now()
      FROM unnest($2::bigint[], $3::uuid[], $4::bytea[], $5::bytea[])
        AS n (index, session, uniq, leaf)
      """;

  private final Vertx vertx = Loops.vertx(1);
  private final List<HttpServer> witnesses = new ArrayList<>();
  private final PostgresAddress database;
  private final DatabaseTime time;
  private final DrawKeys keys = new DrawKeys(MasterSecret.ring(new Secret(MASTER)), LOG);
  private final FakeDrand drand;
  private final TestFairgate server;

  private DrawScene(TestEngines engines, Path folder, int quorum) throws IOException {
    database = engines.freshDatabase();
    time = DatabaseTime.of(database);
    drand = TestBeacon.start(time);
    List<String> asked = new ArrayList<>();
    for (int i = 1; i <= quorum; i++) {
      asked.add(witness(folder.resolve("w" + i), i));
    }
    Map<String, String> settings = TestBeacon.settings(drand, folder);
    settings.put("master_secret", MASTER);
    settings.put("draws.log_name", LOG);
    settings.put("draws.witnesses", String.join(",", asked));
    settings.put("draws.quorum", Integer.toString(quorum));
    engines.flushRedis();
    this.server = TestFairgate.start(engines, database, settings);
  }

  /// Starts a server without a draw.
  ///
  /// @param quorum number of witnesses, all of which must cosign
  public static DrawScene start(Path folder, int quorum) throws IOException {
    return new DrawScene(TestEngines.shared(), folder, quorum);
  }

  /// Starts a server without a draw and without witnesses on these engines.
  static DrawScene start(TestEngines engines, Path folder) throws IOException {
    return new DrawScene(engines, folder, 0);
  }

  /// Starts a witness; returns its key and address as the setting has them.
  private String witness(Path data, int number) throws IOException {
    VerifierKey log = keys.signer(keys.houseOrigin()).verifier();
    SignerKey key =
        new SignerKey(
            "witness.example/w" + number,
            VerifierKey.Type.COSIGNATURE,
            Hash.ofParts(StrictText.bytes("witness " + number)).bytes());
    WitnessService service =
        new WitnessService(key, List.of(log), Files.createDirectories(data), time);
    HttpServer http =
        HttpServer.start(
            vertx,
            HttpConfig.defaults().withAddress("127.0.0.1", 0),
            WitnessRoutes.of(service),
            new HttpDependencies(
                new TestIds(), new KeyRing("k", Map.of("k", new byte[32])), new Metrics()));
    witnesses.add(http);
    return key.verifier().text() + " http://127.0.0.1:" + http.port();
  }

  public TestFairgate server() {
    return server;
  }

  /// The hash of the beacon chain, which verifiers must be told.
  public String chain() {
    return drand.chainHash();
  }

  /// Announces a draw of a new sale that is open.
  ///
  /// @param opens seconds from now
  /// @param open seconds for entries
  /// @param margin seconds from there to the beacon
  /// @param more further fields of the rules, with a comma before each
  public void announce(int units, int opens, int open, int margin, String more) {
    server.createProduct(PRODUCT, units, "{\"pre_queue\": \"draw\"}");
    server.openSale(PRODUCT);
    Instant from = time.instant().truncatedTo(ChronoUnit.SECONDS).plusSeconds(opens);
    String _ =
        server.admin(
            "POST",
            "/draws",
            """
            {"id": "%s", "product_id": "%s", "title": "Autumn tour", "opens_at": "%s",
             "closes_at": "%s", "seal_margin_seconds": %d, "zone": "Asia/Taipei"%s}
            """
                .formatted(DRAW, PRODUCT, from, from.plusSeconds(open), margin, more));
  }

  /// The public description of the draw.
  public JsonObject draw() {
    HttpResponse<String> found = server.callUntilAccepted("GET", "/api/draws/" + DRAW, "");
    assertThat(found.statusCode()).as(found.body()).isEqualTo(200);
    return Json.parseObject(found.body());
  }

  /// Waits until the draw is in the state.
  public void await(String state) {
    Eventually.await("state " + state, () -> state.equals(draw().get("state")));
  }

  /// Sets the time forward to a moment of the draw: `opens_at`, `closes_at`, or `draws_at`.
  public void skipTo(String moment) {
    time.skipTo(Instant.parse(String.valueOf(draw().get(moment))));
  }

  /// Lets the beacon of the draw be late: sets the time to a minute after its round, which no
  /// source has.
  public void late() {
    drand.silent(true);
    time.skipTo(Instant.parse(String.valueOf(draw().get("draws_at"))).plusSeconds(60));
    Eventually.await("the draw is late", () -> draw().has("late_since"));
  }

  /// Lets the beacon have its rounds again.
  public void beacon() {
    drand.silent(false);
  }

  /// Waits until a file of the draw exists.
  public void awaitFile(String name) {
    Eventually.await(
        name, () -> server.call("GET", "/draws/" + DRAW + "/" + name, "").statusCode() == 200);
  }

  /// Enters as a new browser; returns its cookies.
  public String enter() {
    HttpResponse<String> entered =
        server.callUntilAccepted(
            "POST",
            "/api/draws/" + DRAW + "/entries",
            "{\"turnstile_token\": \"XXXX.DUMMY.TOKEN.XXXX\"}");
    assertThat(entered.statusCode()).as(entered.body()).isEqualTo(200);
    return String.join(
        "; ",
        entered.headers().allValues("set-cookie").stream()
            .map(cookie -> cookie.split(";", 2)[0])
            .toList());
  }

  /// Adds entries of strangers past the API, as many as this.
  public void fill(int entries) {
    PostgresSettings settings = TestDatabase.settings(database, 2);
    try (PostgresDatabase opened = PostgresDatabase.open(vertx, settings);
        DrawLogs logs = new DrawLogs(opened, keys::signer)) {
      for (int from = 0; from < entries; from += BATCH) {
        int start = from;
        int count = Math.min(BATCH, entries - from);
        int _ = opened.tx(db -> add(db, logs, start, count));
      }
    }
  }

  private int add(Db db, DrawLogs logs, int start, int count) {
    List<byte[]> leaves = new ArrayList<>();
    UUID[] sessions = new UUID[count];
    Buffer[] tags = new Buffer[count];
    for (int i = 0; i < count; i++) {
      byte[] hash = Hash.ofParts(StrictText.bytes("stranger " + (start + i))).bytes();
      byte[] tag = Arrays.copyOf(hash, EntryLeaf.Uniq.LENGTH);
      leaves.add(
          new EntryLeaf(
                  DRAW,
                  Hash.of(hash),
                  Hash.of(hash),
                  List.of(),
                  Optional.of(EntryLeaf.Uniq.of(tag)),
                  1,
                  0)
              .data());
      tags[i] = Buffer.buffer(tag);
      sessions[i] = UUID.nameUUIDFromBytes(hash);
    }
    Long[] indexes = logs.append(db, keys.entriesOrigin(DRAW), leaves).toArray(Long[]::new);
    Buffer[] hashes =
        leaves.stream()
            .map(leaf -> Buffer.buffer(Merkle.leafHash(leaf).bytes()))
            .toArray(Buffer[]::new);
    return db.update(ADD, DRAW, indexes, sessions, tags, hashes);
  }

  @Override
  public void close() {
    server.close();
    witnesses.forEach(http -> http.drain(Duration.ofSeconds(2)).await());
    vertx.close().await();
    drand.close();
  }
}
