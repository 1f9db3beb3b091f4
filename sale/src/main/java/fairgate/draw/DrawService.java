package fairgate.draw;

import fairgate.catalog.Catalog;
import fairgate.catalog.Product;
import fairgate.draw.DrawEntries.Removal;
import fairgate.draw.leaf.DrawRules;
import fairgate.kernel.ProductId;
import fairgate.platform.http.JsonBody;
import java.time.Clock;
import java.util.Optional;

/// The operators' changes of draws. Calls block and are for virtual threads.
public final class DrawService {
  /// The maximum number of draws of an installation, ended ones included. All of them are in
  /// memory.
  public static final int MAX_DRAWS = 2_000;

  private final Draws draws;
  private final DrawFeature.Stores stores;
  private final DrawKeys keys;
  private final DrawEntries entries;
  private final Catalog catalog;
  private final Settings settings;

  record Settings(DrawFeature.Config config, LiveUnits units, Clock clock) {}

  DrawService(
      Draws draws,
      DrawFeature.Stores stores,
      DrawKeys keys,
      DrawEntries entries,
      Catalog catalog,
      Settings settings) {
    this.draws = draws;
    this.stores = stores;
    this.keys = keys;
    this.entries = entries;
    this.catalog = catalog;
    this.settings = settings;
  }

  public sealed interface Creation {
    record Created(Draw draw) implements Creation {}

    record NoSuchProduct() implements Creation {}

    /// Another draw has the id, or the sale has another draw that is not over.
    record Taken() implements Creation {}

    record TooMany() implements Creation {}
  }

  /// Announces a draw. Its rules never change; a repeat with equal rules changes nothing. Throws
  /// InvalidRequest for bad rules.
  public Creation create(JsonBody body, String actor) {
    String productId = body.text("product_id");
    Optional<Product> product =
        ProductId.isValid(productId)
            ? catalog.findOrReload(new ProductId(productId))
            : Optional.empty();
    if (product.isEmpty()) {
      return new Creation.NoSuchProduct();
    }
    Product sale = product.get();
    draws.refresh();
    Optional<Draw> had = draws.find(body.text("id"));
    boolean isTaken = draws.ofProduct(sale.id()).filter(it -> !it.state().isOver()).isPresent();
    if (had.isEmpty() && isTaken) {
      return new Creation.Taken();
    }
    DrawRules rules =
        RulesDraft.read(
            body,
            sale,
            () -> had.map(it -> it.rules().units()).orElseGet(() -> freeUnits(body, sale)),
            settings.config(),
            settings.clock().millis() / 1000);
    // The log comes first: a draw without one would be stuck.
    stores.logs().create(keys.entriesOrigin(rules.draw()));
    PostgresDraws.Created created =
        stores.draws().create(rules, sale, settings.config().chains(), MAX_DRAWS, actor);
    draws.refresh();
    return switch (created) {
      case NEW -> new Creation.Created(draws.find(rules.draw()).orElseThrow());
      case TAKEN -> new Creation.Taken();
      case TOO_MANY -> new Creation.TooMany();
    };
  }

  /// The units of the sale that are neither sold nor reserved. They stay free until the draw offers
  /// them: such a sale sells to winners only, no winner of an earlier draw can buy any more, and
  /// the catalog refuses to lower the stock or to change `pre_queue` while a draw runs. Throws
  /// InvalidRequest if there are none, or if somebody can still buy.
  private long freeUnits(JsonBody body, Product product) {
    // In this order: without an offer that waits for its place, no place can be added meanwhile.
    boolean isSeating = stores.offers().isSeating(product.id());
    LiveUnits.Taken taken = settings.units().taken(product);
    if (isSeating || taken.buyers() > 0) {
      throw body.problem("product_id", "draw_offers_open");
    }
    long free = product.details().totalStock() - taken.units();
    if (free <= 0) {
      throw body.problem("product_id", "draw_no_units");
    }
    return free;
  }

  public enum Abort {
    DONE,
    OVER,
    /// The random number is due: the draw goes on to its result.
    DUE
  }

  /// Ends a draw for a public reason, before its random number is due.
  public Abort abort(Draw draw, String reason) {
    boolean isAborted = stores.draws().abort(draw.id(), reason, draw.due());
    draws.refresh();
    if (isAborted) {
      return Abort.DONE;
    }
    return draws.find(draw.id()).orElse(draw).state().isOver() ? Abort.OVER : Abort.DUE;
  }

  /// Excludes an entry before the seal, for a public reason.
  public Removal exclude(Draw draw, long index, String reason, String actor) {
    return entries.exclude(draw, index, reason, actor);
  }
}
