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
  private final DrawStores stores;
  private final DrawKeys keys;
  private final DrawEntries entries;
  private final Catalog catalog;
  private final Settings settings;

  /// Settings of new draws, and the clock that they use.
  record Settings(DrawConfig config, Clock clock) {}

  DrawService(
      Draws draws,
      DrawStores stores,
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

  /// The outcome of creating a draw.
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
    DrawRules rules =
        RulesDraft.read(body, product.get(), settings.config(), settings.clock().millis() / 1000);
    // The log comes first: a draw without one would be stuck.
    stores.logs().create(keys.entriesOrigin(rules.draw()));
    PostgresDraws.Created created =
        stores
            .draws()
            .create(rules, product.get().id(), settings.config().chains(), MAX_DRAWS, actor);
    draws.refresh();
    return switch (created) {
      case NEW -> new Creation.Created(draws.find(rules.draw()).orElseThrow());
      case TAKEN -> new Creation.Taken();
      case TOO_MANY -> new Creation.TooMany();
    };
  }

  /// Ends a draw for a public reason; false if it is over.
  public boolean abort(Draw draw, String reason) {
    boolean isAborted = stores.draws().abort(draw.id(), reason);
    draws.refresh();
    return isAborted;
  }

  /// Excludes an entry before the seal, for a public reason.
  public Removal exclude(Draw draw, long index, String reason, String actor) {
    return entries.exclude(draw, index, reason, actor);
  }
}
