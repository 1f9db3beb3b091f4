package fairgate.sale.ledger;

import fairgate.platform.events.OutboxEntry;
import fairgate.platform.events.OutboxSink;
import fairgate.platform.events.OutboxStream;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.sale.ledger.LedgerEvent.Edge;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Writes outbox entries to the ledger.
///
/// One batch is one transaction, which first locks the sale's totals, so batches of one sale never
/// interleave. Only events that are not stored yet have an effect, and that effect does not depend
/// on their order. A batch that would break a rule of the ledger is refused as a whole: more units
/// than were released, two live orders of one session, or one number for two events.
final class PostgresLedger implements OutboxSink {
  private static final String LOCK = "SELECT 1 FROM sale_totals WHERE product_id = $1 FOR UPDATE";
  private static final String INSERT_EVENTS =
      """
      INSERT INTO order_events (product_id, epoch, seq, kind, order_id, status, version, quantity,
        amount, at, reason, payment_id, refund_amount, refund_part)
      SELECT $1, * FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[],
        $7::int[], $8::int[], $9::bigint[], $10::timestamptz[], $11::text[], $12::text[],
        $13::bigint[], $14::text[])
      ON CONFLICT DO NOTHING RETURNING epoch, seq
      """;
  private static final String KNOWN_EVENTS =
      """
      SELECT epoch, seq, kind, order_id, version FROM order_events
      JOIN unnest($2::bigint[], $3::bigint[]) AS k (epoch, seq) USING (epoch, seq)
      WHERE product_id = $1
      """;
  private static final String ADD_TOTALS =
      """
      UPDATE sale_totals SET held = held + $2, confirmed = confirmed + $3 WHERE product_id = $1
      """;
  private static final String POSITION =
      """
      INSERT INTO outbox_positions AS p (product_id, epoch, first_seq, last_seq, applied, earlier)
      VALUES ($1, $2, $3, $4, $5, $6)
      ON CONFLICT (product_id) DO UPDATE SET
        epoch = greatest(p.epoch, excluded.epoch),
        first_seq = CASE WHEN excluded.epoch > p.epoch THEN excluded.first_seq
          WHEN excluded.epoch = p.epoch THEN least(p.first_seq, excluded.first_seq)
          ELSE p.first_seq END,
        last_seq = CASE WHEN excluded.epoch > p.epoch THEN excluded.last_seq
          WHEN excluded.epoch = p.epoch THEN greatest(p.last_seq, excluded.last_seq)
          ELSE p.last_seq END,
        applied = CASE WHEN excluded.epoch > p.epoch THEN excluded.applied
          WHEN excluded.epoch = p.epoch THEN p.applied + excluded.applied
          ELSE p.applied END,
        earlier = CASE WHEN excluded.epoch > p.epoch THEN p.earlier + p.applied + excluded.earlier
          WHEN excluded.epoch = p.epoch THEN p.earlier + excluded.earlier
          ELSE p.earlier + excluded.applied + excluded.earlier END,
        updated_at = now()
      """;

  private final PostgresDatabase database;
  private volatile Consumer<LedgerEvent> onWritten = _ -> {};

  PostgresLedger(PostgresDatabase database) {
    this.database = database;
  }

  void onWritten(Consumer<LedgerEvent> listener) {
    onWritten = listener;
  }

  private record Key(long epoch, long seq) {
    static Key of(LedgerEvent event) {
      return new Key(event.epoch(), event.seq());
    }
  }

  @Override
  public void apply(OutboxStream stream, List<OutboxEntry> entries) {
    Map<Key, LedgerEvent> events = new LinkedHashMap<>();
    for (OutboxEntry entry : entries) {
      LedgerEvent event = LedgerEvent.of(entry, stream.product());
      LedgerEvent twin = events.putIfAbsent(Key.of(event), event);
      if (twin != null) {
        mustBeSame(event, twin.kind().word(), id(twin), twin.version());
      }
    }
    database.tx(db -> write(db, stream.product().value(), events)).forEach(onWritten);
  }

  private static List<LedgerEvent> write(Db db, String product, Map<Key, LedgerEvent> events) {
    if (db.query(LOCK, product).isEmpty()) {
      throw new IllegalArgumentException("the ledger has no sale " + product);
    }
    List<LedgerEvent> fresh = insertNew(db, product, events);
    if (fresh.isEmpty()) {
      return fresh;
    }
    Map<String, OrderDraft> orders = new LinkedHashMap<>();
    for (LedgerEvent event : fresh) {
      Edge edge = event.order();
      if (edge != null) {
        OrderDraft draft = orders.get(edge.id());
        if (draft == null) {
          orders.put(edge.id(), new OrderDraft(event, edge));
        } else {
          draft.add(event, edge);
        }
      }
    }
    if (!orders.isEmpty()) {
      OrderRows.merge(db, orders);
      addTotals(db, product, orders.values());
      OrderRows.write(db, product, orders.values());
      RefundRows.write(db, fresh);
    }
    advance(db, product, fresh);
    return fresh;
  }

  private static List<LedgerEvent> insertNew(Db db, String product, Map<Key, LedgerEvent> events) {
    List<LedgerEvent> all = List.copyOf(events.values());
    Columns<LedgerEvent> columns = new Columns<>(all);
    List<LedgerEvent> fresh = new ArrayList<>(all.size());
    Map<Key, LedgerEvent> known = new LinkedHashMap<>(events);
    db.query(
            INSERT_EVENTS,
            product,
            columns.longs(LedgerEvent::epoch),
            columns.longs(LedgerEvent::seq),
            columns.texts(e -> e.kind().word()),
            columns.texts(PostgresLedger::id),
            columns.texts(e -> e.order() == null ? null : e.order().status().wire()),
            columns.ints(LedgerEvent::version),
            columns.ints(LedgerEvent::quantity),
            columns.numbers(e -> e.order() == null ? null : e.order().amount()),
            columns.times(LedgerEvent::at),
            columns.texts(e -> e.order() == null ? null : e.order().why().reasonOrNull()),
            columns.texts(e -> e.order() == null ? null : e.order().why().paymentOrNull()),
            columns.numbers(e -> e.order() == null ? null : e.order().why().refundOrNull()),
            columns.texts(e -> e.order() == null ? null : e.order().why().partOrNull()))
        .forEach(
            row -> {
              LedgerEvent event = known.remove(new Key(row.getLong(0), row.getLong(1)));
              if (event != null) {
                fresh.add(event);
              }
            });
    if (!known.isEmpty()) {
      verify(db, product, known);
    }
    return fresh;
  }

  /// A stored number must belong to the same event. A Redis that was restored from an older copy
  /// without a new epoch would use numbers twice.
  private static void verify(Db db, String product, Map<Key, LedgerEvent> known) {
    Columns<Key> keys = new Columns<>(List.copyOf(known.keySet()));
    db.query(KNOWN_EVENTS, product, keys.longs(Key::epoch), keys.longs(Key::seq))
        .forEach(
            row -> {
              LedgerEvent event = known.get(new Key(row.getLong("epoch"), row.getLong("seq")));
              if (event != null) {
                mustBeSame(
                    event,
                    row.getString("kind"),
                    row.getString("order_id"),
                    row.getInteger("version"));
              }
            });
  }

  private static void mustBeSame(
      LedgerEvent event, String kind, @Nullable String order, int version) {
    if (!event.kind().word().equals(kind)
        || !Objects.equals(id(event), order)
        || event.version() != version) {
      throw new IllegalStateException(
          "number %d of epoch %d stands for another event already"
              .formatted(event.seq(), event.epoch()));
    }
  }

  private static @Nullable String id(LedgerEvent event) {
    return event.order() == null ? null : event.order().id();
  }

  private static void addTotals(Db db, String product, Collection<OrderDraft> orders) {
    long held = orders.stream().mapToLong(OrderDraft::heldDelta).sum();
    long confirmed = orders.stream().mapToLong(OrderDraft::confirmedDelta).sum();
    if (held != 0 || confirmed != 0) {
      db.update(ADD_TOTALS, product, held, confirmed);
    }
  }

  private static void advance(Db db, String product, List<LedgerEvent> fresh) {
    long epoch = fresh.stream().mapToLong(LedgerEvent::epoch).max().orElseThrow();
    long[] seqs =
        fresh.stream()
            .filter(e -> e.epoch() == epoch)
            .mapToLong(LedgerEvent::seq)
            .sorted()
            .toArray();
    long applied = seqs.length;
    long earlier = fresh.size() - applied;
    db.update(POSITION, product, epoch, seqs[0], seqs[seqs.length - 1], applied, earlier);
  }

  /// Writes the table `orders` for the ledger.
  private static final class OrderRows {
    private static final String SELECT =
        "SELECT "
            + PostgresOrders.COLUMNS
            + " FROM orders WHERE platform = 'fairgate' AND order_id = ANY($1::text[]) FOR UPDATE";
    private static final String UPSERT =
        """
        INSERT INTO orders (platform, product_id, order_id, session_id, user_id, device, quantity,
          amount, currency, status, version, created_at, pay_by, paid_at, paid_version, payment_id,
          updated_at, deposit_id)
        SELECT 'fairgate', $1, * FROM unnest($2::text[], $3::text[], $4::text[], $5::text[],
          $6::int[], $7::bigint[], $8::text[], $9::text[], $10::int[], $11::timestamptz[],
          $12::timestamptz[], $13::timestamptz[], $14::int[], $15::text[], $16::timestamptz[],
          $17::text[])
        ON CONFLICT (platform, order_id, product_id) DO UPDATE SET
          quantity = excluded.quantity, amount = excluded.amount, currency = excluded.currency,
          status = excluded.status, version = excluded.version, created_at = excluded.created_at,
          pay_by = excluded.pay_by, paid_at = excluded.paid_at,
          paid_version = excluded.paid_version, payment_id = excluded.payment_id,
          updated_at = excluded.updated_at,
          deposit_id = coalesce(orders.deposit_id, excluded.deposit_id)
        """;

    private OrderRows() {}

    static void merge(Db db, Map<String, OrderDraft> orders) {
      Object ids = orders.keySet().toArray(String[]::new);
      db.query(SELECT, ids)
          .forEach(
              row -> {
                LedgerOrder stored = PostgresOrders.order(row);
                OrderDraft draft = orders.get(stored.id().value());
                if (draft != null) {
                  LedgerOrder.State standing = stored.standing();
                  draft.stored(standing.version(), stored.quantity(), edge(stored));
                  draft.pay(
                      standing.paid().version(), standing.paid().at(), standing.paid().payment());
                  draft.span(standing.createdAt(), standing.updatedAt());
                }
              });
    }

    private static Edge edge(LedgerOrder stored) {
      return new Edge(
          stored.id().value(),
          stored.buyer(),
          stored.amount().minorUnits(),
          stored.amount().currency(),
          stored.standing().status(),
          stored.standing().payBy(),
          null,
          LedgerEvent.Cause.NONE);
    }

    static void write(Db db, String product, Collection<OrderDraft> orders) {
      // Orders that release units go first, because a session may hold the next one already.
      List<OrderDraft> rows =
          orders.stream().sorted(Comparator.comparing(OrderDraft::live)).toList();
      Columns<OrderDraft> columns = new Columns<>(rows);
      db.update(
          UPSERT,
          product,
          columns.texts(o -> o.facts().id()),
          columns.texts(o -> o.facts().buyer().session()),
          columns.texts(o -> o.facts().buyer().user()),
          columns.texts(o -> o.facts().buyer().device()),
          columns.ints(OrderDraft::quantity),
          columns.longs(o -> o.facts().amount()),
          columns.texts(o -> o.facts().currency()),
          columns.texts(o -> o.facts().status().wire()),
          columns.ints(OrderDraft::version),
          columns.times(OrderDraft::createdAt),
          columns.times(o -> o.facts().payBy()),
          columns.times(OrderDraft::paidAt),
          columns.ints(OrderDraft::paidVersion),
          columns.texts(OrderDraft::payment),
          columns.times(OrderDraft::updatedAt),
          columns.texts(OrderDraft::deposit));
    }
  }
}
