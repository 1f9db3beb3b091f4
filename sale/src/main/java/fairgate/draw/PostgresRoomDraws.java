package fairgate.draw;

import fairgate.draw.RoomDraws.RoomDraw;
import fairgate.draw.beacon.BeaconChain;
import fairgate.draw.leaf.BeaconRound;
import fairgate.draw.leaf.RoomLeaf;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.witness.Witnesses;
import fairgate.kernel.OrderDraws;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/// The table `room_draws`. A row and its leaf of the house log are written in one transaction.
/// Calls block and are for virtual threads.
///
/// @param origin of the house log
record PostgresRoomDraws(PostgresDatabase database, DrawLogs logs, String origin, Terms terms) {
  private static final String ONE = "SELECT * FROM room_draws WHERE room = $1 AND epoch = $2";
  private static final String OF_ROOM =
      "SELECT * FROM room_draws WHERE room = $1 ORDER BY epoch DESC LIMIT $2";
  private static final String FIRST_EPOCH = "SELECT first_epoch FROM rooms WHERE id = $1";
  private static final String UNFINISHED =
      """
      SELECT * FROM room_draws
      WHERE result IS NULL OR (proof = '' AND sealed_at > now() - interval '1 hour')
      ORDER BY sealed_at, room, epoch LIMIT 1000
      """;
  private static final String NOW = "SELECT ceil(extract(epoch FROM clock_timestamp()))::bigint";
  private static final String SEAL =
      """
      INSERT INTO room_draws (room, epoch, chain, seal, leaf_index) VALUES ($1, $2, $3, $4, $5)
      """;
  private static final String PROOF =
      "UPDATE room_draws SET proof = $3 WHERE room = $1 AND epoch = $2 AND proof = ''";
  private static final String RESULT =
      "UPDATE room_draws SET result = $3 WHERE room = $1 AND epoch = $2 AND result IS NULL";

  /// The terms of new draws.
  ///
  /// @param chain the beacon chain as drand's `/info` describes it; empty for quicknet
  /// @param margin time between the announcement and the beacon round
  record Terms(String chain, Duration margin, Witnesses.Config witnesses) {}

  Duration margin() {
    return terms.margin();
  }

  /// Announces a draw in the house log, once for a room and its epoch; returns the announced one.
  RoomDraw announce(OrderDraws.Sealed sealed) {
    return database.tx(
        db -> {
          // Waits before the round is chosen, so that the margin is not used up here.
          logs.lock(db, origin);
          Optional<RoomDraw> had = one(db, sealed.room(), sealed.epoch());
          return had.isPresent() ? had.get() : announce(db, sealed);
        });
  }

  private RoomDraw announce(Db db, OrderDraws.Sealed sealed) {
    long now = db.query(NOW).getFirst().getLong(0);
    BeaconChain chain =
        terms.chain().isEmpty() ? BeaconChain.QUICKNET : Draw.Chains.parse(terms.chain());
    int quorum = terms.witnesses().quorum();
    RoomLeaf.Seal seal =
        new RoomLeaf.Seal(
            sealed.room(),
            sealed.epoch(),
            sealed.tickets(),
            new BeaconRound(chain.hash(), chain.roundAt(now + terms.margin().toSeconds())),
            quorum,
            quorum == 0 ? List.of() : terms.witnesses().keys());
    long index = logs.append(db, origin, List.of(seal.data())).getFirst();
    db.update(
        SEAL, sealed.room(), sealed.epoch(), terms.chain(), Buffer.buffer(seal.data()), index);
    return one(db, sealed.room(), sealed.epoch()).orElseThrow();
  }

  private static Optional<RoomDraw> one(Db db, String room, long epoch) {
    return db.query(ONE, room, epoch).stream().findFirst().map(PostgresRoomDraws::draw);
  }

  Optional<RoomDraw> find(String room, long epoch) {
    return database.reading(db -> one(db, room, epoch));
  }

  /// The draws of a room, the latest first.
  List<RoomDraw> of(String room, int max) {
    return database.reading(
        db -> db.query(OF_ROOM, room, max).stream().map(PostgresRoomDraws::draw).toList());
  }

  /// The epoch at the creation of the room; empty if it is gone.
  Optional<Long> firstEpoch(String room) {
    return database.reading(
        db -> db.query(FIRST_EPOCH, room).stream().findFirst().map(row -> row.getLong(0)));
  }

  /// Makes a pass rest while nothing is written to the database.
  Runnable resting(BooleanSupplier pass) {
    return database.changes().resting(pass);
  }

  /// Draws without a result, and recent ones without a proof.
  List<RoomDraw> unfinished() {
    return database.rows(UNFINISHED).stream().map(PostgresRoomDraws::draw).toList();
  }

  void keepProof(RoomDraw draw, String proof) {
    int _ = database.update(PROOF, draw.seal().room(), draw.seal().epoch(), proof);
  }

  /// Decides a draw and publishes its result in the house log. Only the first decision counts.
  void decide(RoomLeaf.Result result) {
    int _ =
        database.tx(
            db -> {
              logs.lock(db, origin);
              byte[] data = result.data();
              int changed = db.update(RESULT, result.room(), result.epoch(), Buffer.buffer(data));
              if (changed > 0) {
                List<Long> _ = logs.append(db, origin, List.of(data));
              }
              return changed;
            });
  }

  private static RoomDraw draw(Row row) {
    return new RoomDraw(
        leaf(row, "seal").map(RoomLeaf.Seal.class::cast).orElseThrow(),
        row.getString("chain"),
        row.getLong("leaf_index"),
        row.getString("proof"),
        leaf(row, "result").map(RoomLeaf.Result.class::cast));
  }

  private static Optional<RoomLeaf> leaf(Row row, String column) {
    return Optional.ofNullable(row.getBuffer(column))
        .map(bytes -> RoomLeaf.parse(bytes.getBytes()).orElseThrow());
  }
}
