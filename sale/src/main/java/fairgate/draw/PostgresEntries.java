package fairgate.draw;

import fairgate.draw.DrawEntries.Removal;
import fairgate.draw.leaf.EntryLeaf;
import fairgate.draw.store.DrawLogs;
import fairgate.draw.tlog.Hash;
import fairgate.draw.tlog.Merkle;
import fairgate.kernel.SessionId;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// The tables `draw_entries` and `draw_absences`. An entry and its leaf in the entries tree are
/// written in one transaction, so neither exists without the other. Blocking calls are for virtual
/// threads.
record PostgresEntries(PostgresDatabase database, DrawLogs logs, DrawKeys keys, Clock clock) {
  private static final String SHARE = "SELECT state FROM draws WHERE id = $1 FOR SHARE";
  private static final String COLUMNS =
      """
      SELECT e.draw, e.index, e.session, e.uniq, e.leaf, e.quantity, e.device, e.entrant, a.kind
      FROM draw_entries e LEFT JOIN draw_absences a USING (draw, index)
      """;
  private static final String KNOWN = COLUMNS + " WHERE draw = $1 AND uniq = ANY($2::bytea[])";
  private static final String OWN = COLUMNS + " WHERE draw = $1 AND session = $2::uuid";
  private static final String AT = COLUMNS + " WHERE draw = $1 AND index = ANY($2::bigint[])";
  private static final String ADD =
      """
      INSERT INTO draw_entries (draw, index, session, uniq, leaf, quantity, device, entrant, entered_at)
      SELECT $1, n.index, n.session, n.uniq, n.leaf, n.quantity, n.device, n.entrant, $2
      FROM unnest($3::bigint[], $4::uuid[], $5::bytea[], $6::bytea[], $7::int[], $8::text[], $9::text[])
        AS n (index, session, uniq, leaf, quantity, device, entrant)
      """;

  /// The deposit of the user goes first, as when it gets its place.
  private static final String USE_DEPOSIT =
      """
      UPDATE deposits SET entry = $4, updated_at = now() WHERE deposit_id = (
        SELECT deposit_id FROM deposits
        WHERE product_id = $1 AND owner IN ($2, $3) AND state = 'paid' AND entry IS NULL
        ORDER BY owner = $2 DESC LIMIT 1 FOR UPDATE)
      """;

  private static final String ABSENT =
      """
      INSERT INTO draw_absences (draw, index, kind, reason, actor) VALUES ($1, $2, $3, $4, $5)
      ON CONFLICT DO NOTHING
      """;
  private static final String UNLOGGED =
      """
      SELECT a.index, a.kind, a.reason, e.leaf
      FROM draw_absences a JOIN draw_entries e USING (draw, index)
      WHERE draw = $1 AND NOT a.logged ORDER BY a.index LIMIT 1000
      """;
  private static final String EXCLUDED =
      """
      SELECT a.index, a.kind, a.reason, e.leaf
      FROM draw_absences a JOIN draw_entries e USING (draw, index)
      WHERE draw = $1 AND a.kind = 'excluded'
      """;
  private static final String LOGGED =
      """
      UPDATE draw_absences SET logged = true WHERE draw = $1 AND index = ANY($2::bigint[])
      """;

  /// An entry to be stored.
  ///
  /// @param user as whom the sale counts the entrant; null for a guest
  /// @param needsDeposit whether a paid deposit has to stand for the entry
  record Draft(
      Draw draw,
      SessionId session,
      EntryLeaf leaf,
      String device,
      @Nullable String user,
      boolean needsDeposit) {
    String uniq() {
      return leaf.uniq().orElseThrow().base64();
    }
  }

  /// A stored entry.
  ///
  /// @param leaf hash of the leaf
  /// @param absence `withdrawn` or `excluded`; else empty
  record Entry(
      String draw,
      long index,
      SessionId session,
      Hash leaf,
      int quantity,
      String device,
      @Nullable String user,
      Optional<String> absence) {}

  /// The outcome of storing an entry: the entry of the person, which may be older than the call, or
  /// nothing because the draw is not open, or because the person has no paid deposit.
  record Stored(Optional<Entry> entry, boolean lacksDeposit) {}

  List<Stored> add(List<Draft> drafts) {
    Map<String, List<Integer>> byDraw = new LinkedHashMap<>();
    for (int i = 0; i < drafts.size(); i++) {
      byDraw.computeIfAbsent(drafts.get(i).draw().id(), _ -> new ArrayList<>()).add(i);
    }
    Stored[] all = new Stored[drafts.size()];
    byDraw.forEach(
        (draw, places) -> {
          List<Draft> some = places.stream().map(drafts::get).toList();
          Set<String> unpaid = new HashSet<>();
          Map<String, Entry> entries = database.tx(db -> add(db, draw, some, unpaid));
          for (int i = 0; i < places.size(); i++) {
            String uniq = some.get(i).uniq();
            all[places.get(i)] =
                new Stored(Optional.ofNullable(entries.get(uniq)), unpaid.contains(uniq));
          }
        });
    return List.of(all);
  }

  /// The entries by the tag of their person; none if the draw is not open. The lock on the draw
  /// keeps it open until the commit, so a seal has all entries that were answered.
  ///
  /// @param unpaid gets the tags of those that lack a deposit
  private Map<String, Entry> add(Db db, String draw, List<Draft> drafts, Set<String> unpaid) {
    unpaid.clear();
    Draw first = drafts.getFirst().draw();
    boolean isOpen = db.query(SHARE, draw).getFirst().getString("state").equals("open");
    if (!isOpen || clock.millis() >= first.rules().close() * 1000) {
      return Map.of();
    }
    String origin = keys.entriesOrigin(draw);
    // One transaction at a time, so that no other one adds a person that KNOWN does not see.
    logs.lock(db, origin);
    Map<String, Draft> fresh = new LinkedHashMap<>();
    drafts.forEach(draft -> fresh.putIfAbsent(draft.uniq(), draft));
    Map<String, Entry> entries = new HashMap<>();
    Buffer[] tags = buffers(List.copyOf(fresh.keySet()), PostgresEntries::tag);
    for (Row row : db.query(KNOWN, draw, tags)) {
      String uniq = Base64.getEncoder().encodeToString(row.getBuffer("uniq").getBytes());
      entries.put(uniq, entry(row));
      fresh.remove(uniq);
    }
    for (Draft draft : List.copyOf(fresh.values())) {
      if (draft.needsDeposit() && !usesDeposit(db, draft)) {
        unpaid.add(draft.uniq());
        fresh.remove(draft.uniq());
      }
    }
    if (!fresh.isEmpty()) {
      add(db, origin, List.copyOf(fresh.values()), entries);
    }
    return entries;
  }

  private static boolean usesDeposit(Db db, Draft draft) {
    String user = draft.user() == null ? draft.device() : draft.user();
    return db.update(
            USE_DEPOSIT,
            draft.draw().product().value(),
            user,
            draft.device(),
            UUID.fromString(draft.session().value()))
        > 0;
  }

  private void add(Db db, String origin, List<Draft> drafts, Map<String, Entry> entries) {
    List<byte[]> leaves = drafts.stream().map(draft -> draft.leaf().data()).toList();
    List<Long> indexes = logs.append(db, origin, leaves);
    List<Entry> added = new ArrayList<>();
    for (int i = 0; i < drafts.size(); i++) {
      Draft draft = drafts.get(i);
      Entry entry =
          new Entry(
              draft.draw().id(),
              indexes.get(i),
              draft.session(),
              Merkle.leafHash(leaves.get(i)),
              (int) draft.leaf().qty(),
              draft.device(),
              draft.user(),
              Optional.empty());
      added.add(entry);
      entries.put(draft.uniq(), entry);
    }
    db.update(
        ADD,
        drafts.getFirst().draw().id(),
        PostgresDraws.time(clock.millis()),
        added.stream().map(Entry::index).toArray(Long[]::new),
        added.stream().map(one -> UUID.fromString(one.session().value())).toArray(UUID[]::new),
        buffers(drafts, draft -> tag(draft.uniq())),
        buffers(added, one -> one.leaf().bytes()),
        added.stream().map(Entry::quantity).toArray(Integer[]::new),
        added.stream().map(Entry::device).toArray(String[]::new),
        added.stream().map(Entry::user).toArray(String[]::new));
  }

  private static byte[] tag(String uniq) {
    return Base64.getDecoder().decode(uniq);
  }

  private static <T> Buffer[] buffers(List<T> items, Function<T, byte[]> bytes) {
    return items.stream().map(item -> Buffer.buffer(bytes.apply(item))).toArray(Buffer[]::new);
  }

  private static Entry entry(Row row) {
    return new Entry(
        row.getString("draw"),
        row.getLong("index"),
        new SessionId(row.getUUID("session").toString()),
        Hash.of(row.getBuffer("leaf").getBytes()),
        row.getInteger("quantity"),
        row.getString("device"),
        row.getString("entrant"),
        Optional.ofNullable(row.getString("kind")));
  }

  /// The entry of a session; empty if it has none in this draw.
  Future<Optional<Entry>> own(String draw, SessionId session) {
    return database
        .query(OWN, draw, UUID.fromString(session.value()))
        .map(rows -> rows.stream().findFirst().map(PostgresEntries::entry));
  }

  /// The entry of a person; empty if it has none in this draw. Never blocks.
  Future<Optional<Entry>> of(String draw, EntryLeaf.Uniq person) {
    return database
        .query(KNOWN, draw, new Buffer[] {Buffer.buffer(tag(person.base64()))})
        .map(rows -> rows.stream().findFirst().map(PostgresEntries::entry));
  }

  List<Entry> at(String draw, List<Long> indexes) {
    return database.reading(
        db ->
            db.query(AT, draw, indexes.toArray(Long[]::new)).stream()
                .map(PostgresEntries::entry)
                .toList());
  }

  /// Takes an entry out of the draw before the seal. Its leaf in the house log follows within a
  /// second.
  ///
  /// @param kind `withdrawn` or `excluded`
  /// @param reason a public word
  Removal remove(String draw, long index, String kind, String reason, String actor) {
    return database.tx(
        db -> {
          if (!db.query(SHARE, draw).getFirst().getString("state").equals("open")) {
            return Removal.NOT_OPEN;
          }
          if (db.query(AT, draw, new Long[] {index}).isEmpty()) {
            return Removal.NO_SUCH_ENTRY;
          }
          return db.update(ABSENT, draw, index, kind, reason, actor) == 1
              ? Removal.DONE
              : Removal.ABSENT_BEFORE;
        });
  }

  /// An absence whose leaf is not in the house log yet.
  record Absence(long index, String kind, String reason, Hash leaf) {}

  /// Up to 1,000 absences whose leaves are not in the house log yet.
  List<Absence> unlogged(String draw) {
    return absences(UNLOGGED, draw);
  }

  /// All entries that an operator has excluded, in no order.
  List<Absence> excluded(String draw) {
    return absences(EXCLUDED, draw);
  }

  private List<Absence> absences(String sql, String draw) {
    return database.reading(
        db ->
            db.query(sql, draw).stream()
                .map(
                    row ->
                        new Absence(
                            row.getLong("index"),
                            row.getString("kind"),
                            row.getString("reason"),
                            Hash.of(row.getBuffer("leaf").getBytes())))
                .toList());
  }

  void logged(String draw, List<Long> indexes) {
    database.update(LOGGED, draw, indexes.toArray(Long[]::new));
  }
}
