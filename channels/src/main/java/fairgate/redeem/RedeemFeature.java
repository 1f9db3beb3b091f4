package fairgate.redeem;

import fairgate.kernel.Audit;
import fairgate.kernel.Ids;
import fairgate.kernel.KeyRing;
import fairgate.platform.http.Route;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import fairgate.platform.redis.RedisClient;
import fairgate.redeem.ClaimRoutes.ClaimMeters;
import fairgate.redeem.RedeemProducts.SaleProducts;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.code.CodeService;
import fairgate.redeem.code.CodeStrength;
import fairgate.redeem.code.CodeUpkeep;
import fairgate.redeem.code.CodeVault;
import fairgate.redeem.code.MerchantKeys;
import fairgate.redeem.guard.ClaimGuard;
import fairgate.redeem.orders.OrderSources;
import fairgate.redeem.orders.OrderSystem;
import io.vertx.core.Vertx;
import java.time.InstantSource;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/// The wiring of redeeming.
public final class RedeemFeature implements AutoCloseable {
  private final ClaimGuard guard;
  private final OrderSources sources;
  private final RedeemProducts products;
  private final ClaimService service;
  private final ClaimRoutes routes;
  private final Codes codes;
  private final CodeRoutes codeRoutes;
  private final RedeemConfig config;
  private final CodeVault vault;

  /// Services for redemption codes.
  ///
  /// @param service activation, expiry, replacement, revocation
  /// @param strength difficulty of guessing a code
  /// @param merchants keys of shops that may query codes
  /// @param upkeep periodic jobs
  public record Codes(
      CodeService service, CodeStrength strength, MerchantKeys merchants, CodeUpkeep upkeep) {}

  private RedeemFeature(RedeemConfig config, Stores stores, Ports seams) {
    this.guard = guard(config, stores, seams);
    this.sources = sources(config, stores, seams);
    this.products = new RedeemProducts(stores.postgres(), stores.sales());
    this.config = config;
    this.vault = new CodeVault(seams.keys());
    ClaimService.Secrets secrets = new ClaimService.Secrets(seams.keys(), vault);
    this.codes = codes(config, stores, seams, vault);
    this.codeRoutes =
        new CodeRoutes(codes.service(), codes.merchants(), guard.budget(), secrets, config);
    this.service =
        new ClaimService(
            config,
            new Verification(
                new PostgresStoredOrders(stores.postgres()), sources, products, seams.clock()),
            new PostgresClaims(stores.postgres()),
            guard,
            seams.audit(),
            secrets,
            seams.clock());
    this.routes = new ClaimRoutes(service, config, new ClaimMeters(seams.metrics()));
  }

  private static OrderSources sources(RedeemConfig config, Stores stores, Ports seams) {
    return new OrderSources(
        stores.own(),
        config.orderSystem().url().isEmpty()
            ? null
            : OrderSystem.at(
                config.orderSystem(), config.shapes(), seams.clock(), seams.metrics()));
  }

  private static ClaimGuard guard(RedeemConfig config, Stores stores, Ports seams) {
    return ClaimGuard.wire(
        config.budget(),
        config.limited(),
        config.failuresKept(),
        new ClaimGuard.Dependencies(
            seams.vertx(),
            stores.redis(),
            stores.postgres(),
            seams.ids(),
            seams.clock(),
            seams.metrics(),
            seams.audit()));
  }

  private Codes codes(RedeemConfig config, Stores stores, Ports seams, CodeVault vault) {
    Function<String, CodeMask> masks =
        id -> products.find(id).map(config::maskOf).orElseGet(config::mask);
    CodeStrength strength = new CodeStrength(stores.postgres(), masks);
    return new Codes(
        new CodeService(stores.postgres(), vault, masks, seams.clock()),
        strength,
        new MerchantKeys(stores.postgres()),
        new CodeUpkeep(stores.postgres(), vault, strength, seams.clock(), seams.metrics()));
  }

  /// The databases and order sources.
  ///
  /// @param own Fairgate's own orders
  /// @param sales the products on sale
  public record Stores(
      RedisClient redis,
      PostgresDatabase postgres,
      OrderSources.OwnOrders own,
      SaleProducts sales) {}

  /// The dependencies on the rest of the server.
  public record Ports(
      Vertx vertx, InstantSource clock, Ids ids, KeyRing keys, Metrics metrics, Audit audit) {}

  /// Puts the parts together; nothing runs before `start`.
  public static RedeemFeature wire(RedeemConfig config, Stores stores, Ports seams) {
    return new RedeemFeature(config, stores, seams);
  }

  /// The settings it runs by.
  public RedeemConfig config() {
    return config;
  }

  /// Encrypts and decrypts codes.
  public CodeVault vault() {
    return vault;
  }

  public ClaimService service() {
    return service;
  }

  /// The products that can be redeemed.
  public RedeemProducts products() {
    return products;
  }

  /// Bans and the record of failures.
  public ClaimGuard guard() {
    return guard;
  }

  /// Codes after their claim.
  public Codes codes() {
    return codes;
  }

  public List<Route> routes() {
    return Stream.concat(routes.routes().stream(), codeRoutes.routes().stream()).toList();
  }

  /// Starts the periodic jobs.
  public void start() {
    guard.start();
    codes.upkeep().start();
  }

  @Override
  public void close() {
    routes.close();
    codes.upkeep().close();
    sources.close();
    guard.close();
  }
}
