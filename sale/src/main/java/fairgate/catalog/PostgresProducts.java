package fairgate.catalog;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import fairgate.catalog.Catalog.Outcome.Change;
import fairgate.catalog.Product.Details;
import fairgate.catalog.Product.Draft;
import fairgate.catalog.SalePolicy.Schedule;
import fairgate.kernel.Money;
import fairgate.kernel.ProductId;
import fairgate.platform.observe.Rows;
import fairgate.platform.postgres.Db;
import fairgate.platform.postgres.PostgresDatabase;
import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// The tables `products` and `sale_policies`. Blocking calls are for virtual threads.
record PostgresProducts(PostgresDatabase database, PostgresBatches batches) {
  private static final String SELECT =
      """
      SELECT p.id, p.name, p.image_url, p.price, p.currency, p.total_stock, p.duration_days, p.state,
             p.version, p.content::text AS content, s.version AS policy_version, s.policy::text AS policy,
             (SELECT min(b.due_at) FROM stock_batches b
              WHERE b.product_id = p.id AND b.released_at IS NULL) AS next_batch_at
      FROM products p JOIN sale_policies s ON s.product_id = p.id AND s.active
      """;
  private static final String ALL = SELECT + "ORDER BY p.id";
  private static final String ONE = SELECT + "WHERE p.id = $1";
  private static final String LOCK = "SELECT 1 FROM products WHERE id = $1 FOR UPDATE";

  /// Changes with each committed change, in any order of commits.
  static final String STAMP =
      "SELECT coalesce(max(version), 0)::text || ' ' || coalesce(sum(version), 0) FROM products";

  private static final String INSERT =
      """
      INSERT INTO products (id, name, image_url, price, currency, total_stock, duration_days,
        opens_at, closes_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      ON CONFLICT (id) DO NOTHING
      """;
  private static final String UPDATE =
      """
      -- An expression sees the row as it was before.
      UPDATE products SET name = $2, image_url = $3, price = $4, currency = $5, total_stock = $6,
        duration_days = $7, closes_at = $9, updated_at = now(),
        opened = opened OR coalesce(opens_at <= now(), false), opens_at = $8,
        state = CASE WHEN state NOT IN ('scheduled', 'open') THEN state
                     WHEN $8 > now() THEN 'scheduled'
                     WHEN $8 IS NULL AND (opened OR opens_at <= now()) THEN 'open'
                     ELSE state END,
        version = nextval('product_changes') WHERE id = $1
      """;
  private static final String DESCRIBE =
      """
      UPDATE products SET content = $2::text::jsonb, updated_at = now(),
        version = nextval('product_changes') WHERE id = $1
      """;
  private static final String TOUCH =
      """
      UPDATE products SET state = $2, total_stock = total_stock + $3, updated_at = now(),
        version = nextval('product_changes') WHERE id = $1
      """;

  /// By the clock of PostgreSQL. Only replies to operators depend on it: in Redis `opens_at`
  /// decides.
  private static final String STANDING =
      """
      SELECT opens_at > now() AS ahead, closes_at <= now() AS ended,
             CASE WHEN opens_at IS NULL THEN opened ELSE opens_at <= now() END AS opened
      FROM products WHERE id = $1 FOR UPDATE
      """;

  private static final String STEP =
      """
      UPDATE products SET state = $2, opened = opened OR $3, opens_at = $4, updated_at = now(),
        version = nextval('product_changes') WHERE id = $1
      """;
  private static final String RETIRE_POLICY =
      "UPDATE sale_policies SET active = false WHERE product_id = $1 AND active";
  private static final String INSERT_POLICY =
      """
      INSERT INTO sale_policies (product_id, version, policy, active, actor)
      SELECT $1, coalesce(max(version), 0) + 1, $2::text::jsonb, true, $3
      FROM sale_policies WHERE product_id = $1
      """;
  private static final String INSERT_TOTALS =
      "INSERT INTO sale_totals (product_id) VALUES ($1) ON CONFLICT DO NOTHING";

  private static final Rows ROWS =
      new Rows(LoggerFactory.getLogger(PostgresProducts.class), "products in PostgreSQL");

  Future<String> stamp() {
    return database.query(STAMP).map(rows -> rows.getFirst().getString(0));
  }

  Future<List<Product>> all() {
    return database
        .query(ALL)
        .map(rows -> ROWS.of(rows, PostgresProducts::product, row -> row.getString("id")));
  }

  Catalog.Outcome create(ProductId id, Details details, SalePolicy policy, String actor) {
    List<PolicyProblem> problems = new ArrayList<>(ProductRules.check(details));
    problems.addAll(ProductRules.checkPlan(details, policy));
    problems.addAll(ProductRules.checkPayment(details, policy));
    if (!problems.isEmpty()) {
      return new Catalog.Outcome.Invalid(problems);
    }
    return database.tx(
        db -> {
          if (db.update(INSERT, fields(id, details, policy)) == 0) {
            Product there = lock(db, id).orElseThrow();
            boolean same = there.details().equals(details) && there.policy().equals(policy);
            return same ? new Catalog.Outcome.Unchanged(there) : new Catalog.Outcome.Exists(there);
          }
          db.update(INSERT_POLICY, id.value(), PolicyJson.stored(policy), actor);
          db.update(INSERT_TOTALS, id.value());
          batches.plan(db, id, details.totalStock(), policy.schedule());
          return new Catalog.Outcome.Done(one(db, id).orElseThrow());
        });
  }

  Catalog.Outcome update(
      ProductId id, Function<Product, Draft> change, Set<String> confirmed, String actor) {
    return database.tx(
        db -> {
          LockedProduct standing = standing(db, id).orElse(null);
          if (standing == null) {
            return new Catalog.Outcome.UnknownProduct();
          }
          Product was = standing.product();
          Draft draft = change.apply(was);
          if (was.details().equals(draft.details()) && was.policy().equals(draft.policy())) {
            return new Catalog.Outcome.Unchanged(was);
          }
          List<PolicyProblem> problems = new ArrayList<>(ProductRules.check(draft.details()));
          // A product that older versions took without a price can still be changed.
          if (ProductRules.checkPayment(was.details(), was.policy()).isEmpty()) {
            problems.addAll(ProductRules.checkPayment(draft.details(), draft.policy()));
          }
          problems.addAll(DrawPromise.broken(db, was, draft));
          if (!problems.isEmpty()) {
            return new Catalog.Outcome.Invalid(problems);
          }
          var changes =
              standing.running()
                  ? ProductRules.delicate(was, draft)
                  : new TreeMap<String, Change>();
          changes.keySet().removeAll(confirmed);
          if (!changes.isEmpty()) {
            return new Catalog.Outcome.Unconfirmed(changes);
          }
          return write(db, was, draft, actor);
        });
  }

  private Catalog.Outcome write(Db db, Product was, Draft draft, String actor) {
    ProductId id = was.id();
    Details details = draft.details();
    SalePolicy policy = draft.policy();
    boolean replan =
        was.details().totalStock() != details.totalStock()
            || !was.policy().schedule().batches().equals(policy.schedule().batches());
    List<PolicyProblem> plan = replan ? ProductRules.checkPlan(details, policy) : List.of();
    if (!plan.isEmpty()) {
      return new Catalog.Outcome.Invalid(plan);
    }
    if (replan && !batches.replan(db, id, details.totalStock(), policy.schedule())) {
      return new Catalog.Outcome.Invalid(
          List.of(PolicyProblem.of("total_stock", "stock_is_planned")));
    }
    db.update(UPDATE, fields(id, details, policy));
    if (!was.policy().equals(policy)) {
      replacePolicy(db, id, policy, actor);
    }
    return new Catalog.Outcome.Done(one(db, id).orElseThrow());
  }

  Catalog.Outcome step(ProductId id, ProductState.Step step, String actor) {
    return database.tx(
        db -> {
          LockedProduct standing = standing(db, id).orElse(null);
          if (standing == null) {
            return new Catalog.Outcome.UnknownProduct();
          }
          Product was = standing.product();
          Optional<ProductState> target = step.from(standing.state(), standing.opened());
          if (target.isEmpty()) {
            return new Catalog.Outcome.StateConflict(standing.state());
          }
          boolean opensNow = step == ProductState.Step.OPEN && standing.ahead();
          if (target.get() == was.state() && !opensNow) {
            return new Catalog.Outcome.Unchanged(was);
          }
          if (step == ProductState.Step.CLOSE && DrawPromise.isOn(db, id)) {
            return new Catalog.Outcome.Invalid(List.of(PolicyProblem.of("state", "draw_is_on")));
          }
          Schedule plan = was.policy().schedule();
          Instant opensAt = opensNow ? null : plan.opensAt();
          boolean opened = step == ProductState.Step.OPEN || standing.opened();
          db.update(STEP, id.value(), target.get().word(), opened, time(opensAt));
          if (opensNow) {
            Schedule open = new Schedule(null, plan.closesAt(), plan.batches());
            replacePolicy(db, id, was.policy().with(open), actor);
          }
          return new Catalog.Outcome.Done(one(db, id).orElseThrow());
        });
  }

  /// A product, locked until the end of the transaction, and its state by the clock.
  ///
  /// @param ahead whether its `opens_at` has not come
  /// @param opened whether the sale is open once nothing holds it back
  /// @param ended whether its `closes_at` has passed
  record LockedProduct(Product product, boolean ahead, boolean opened, boolean ended) {
    ProductState state() {
      return ended ? ProductState.CLOSED : stateBeforeEnd();
    }

    /// Where `opens_at` is set it decides between `scheduled` and `open`, whichever is stored.
    private ProductState stateBeforeEnd() {
      ProductState stored = product.state();
      return switch (stored) {
        case PAUSED, CLOSED -> stored;
        case SCHEDULED, OPEN ->
            ahead ? ProductState.SCHEDULED : opened ? ProductState.OPEN : stored;
      };
    }

    /// Whether buyers may have places or units under the present policy. Purchase windows that run
    /// at `closes_at` can be used until their end.
    boolean running() {
      ProductState state = stateBeforeEnd();
      return state == ProductState.OPEN || state == ProductState.PAUSED;
    }
  }

  static Optional<LockedProduct> standing(Db db, ProductId id) {
    return db.query(STANDING, id.value()).stream()
        .findFirst()
        .map(
            row ->
                new LockedProduct(
                    one(db, id).orElseThrow(),
                    Boolean.TRUE.equals(row.getBoolean("ahead")),
                    Boolean.TRUE.equals(row.getBoolean("opened")),
                    Boolean.TRUE.equals(row.getBoolean("ended"))));
  }

  private static void replacePolicy(Db db, ProductId id, SalePolicy policy, String actor) {
    db.update(RETIRE_POLICY, id.value());
    db.update(INSERT_POLICY, id.value(), PolicyJson.stored(policy), actor);
  }

  /// Gives the product a new version, which all nodes then load.
  @CanIgnoreReturnValue
  static int touch(Db db, ProductId id, ProductState state, int moreStock) {
    return db.update(TOUCH, id.value(), state.word(), moreStock);
  }

  private static Optional<Product> lock(Db db, ProductId id) {
    return db.query(LOCK, id.value()).isEmpty() ? Optional.empty() : one(db, id);
  }

  private static Optional<Product> one(Db db, ProductId id) {
    return db.first(ONE, PostgresProducts::product, id.value());
  }

  private static @Nullable Object[] fields(ProductId id, Details details, SalePolicy policy) {
    return new @Nullable Object[] {
      id.value(),
      details.name(),
      details.imageUrl(),
      details.price().minorUnits(),
      details.price().currency(),
      details.totalStock(),
      details.durationDays(),
      time(policy.schedule().opensAt()),
      time(policy.schedule().closesAt())
    };
  }

  static @Nullable OffsetDateTime time(@Nullable Instant at) {
    return at == null ? null : at.atOffset(ZoneOffset.UTC);
  }

  static @Nullable Instant instant(Row row, String column) {
    OffsetDateTime at = row.getOffsetDateTime(column);
    return at == null ? null : at.toInstant();
  }

  private static Product product(Row row) {
    SalePolicy policy =
        switch (PolicyJson.readStored(row.getString("policy"))) {
          case PolicyOutcome.Valid(SalePolicy valid) -> valid;
          case PolicyOutcome.Invalid(List<PolicyProblem> problems) ->
              throw new IllegalStateException("the stored policy is not valid: " + problems);
        };
    return new Product(
        new ProductId(row.getString("id")),
        new Details(
            row.getString("name"),
            row.getString("image_url"),
            new Money(row.getLong("price"), row.getString("currency")),
            row.getInteger("total_stock"),
            row.getInteger("duration_days")),
        policy,
        row.getInteger("policy_version"),
        ProductState.of(row.getString("state")),
        row.getLong("version"),
        instant(row, "next_batch_at"),
        content(row.getString("content")));
  }

  private static ProductContent content(@Nullable String json) {
    return json == null ? ProductContent.EMPTY : ContentJson.read(json).content();
  }

  /// Replaces the content; empty when there is no such product.
  Optional<Product> describe(ProductId id, ProductContent content) {
    return database.tx(
        db ->
            db.update(DESCRIBE, id.value(), ContentJson.write(content)) == 0
                ? Optional.empty()
                : one(db, id));
  }
}
