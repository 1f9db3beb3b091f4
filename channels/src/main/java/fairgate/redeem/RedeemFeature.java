package fairgate.redeem;

import static fairgate.kernel.Role.SELLER;
import static fairgate.kernel.Role.SUPPORT;

import fairgate.account.AccountFeature;
import fairgate.catalog.Catalog;
import fairgate.gate.ban.BanService;
import fairgate.gate.risk.RiskService;
import fairgate.platform.admin.AdminGuard;
import fairgate.platform.admin.ExportLock;
import fairgate.platform.feature.Feature;
import fairgate.platform.feature.Feature.Infra;
import fairgate.redeem.ClaimRoutes.ClaimMeters;
import fairgate.redeem.code.CodeMask;
import fairgate.redeem.code.CodeService;
import fairgate.redeem.code.CodeStrength;
import fairgate.redeem.code.CodeUpkeep;
import fairgate.redeem.code.CodeVault;
import fairgate.redeem.code.MerchantKeys;
import fairgate.redeem.guard.ClaimGuard;
import fairgate.redeem.orders.LedgerOrders;
import fairgate.redeem.orders.OrderSources;
import fairgate.redeem.orders.OrderSystem;
import fairgate.redeem.transfer.ImportService;
import fairgate.redeem.transfer.TransferFeature;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.payment.OrderBook;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/// Redemption codes, put together: their API, the page of claims, and the admin API of codes,
/// imports and exports.
///
/// @param config the settings it runs by
/// @param products the products that can be redeemed
public record RedeemFeature(RedeemConfig config, RedeemProducts products, ClaimService service) {
  /// Services for redemption codes.
  ///
  /// @param service activation, expiry, replacement, revocation
  /// @param strength difficulty of guessing a code
  /// @param merchants keys of shops that may query codes
  /// @param upkeep periodic jobs
  record Codes(
      CodeService service, CodeStrength strength, MerchantKeys merchants, CodeUpkeep upkeep) {}

  /// Connects redemption to the sale: orders paid here can be redeemed here.
  ///
  /// @param orders those of this server, as Redis has them
  public static Feature start(
      Infra infra,
      AccountFeature account,
      BanService bans,
      RiskService risk,
      Catalog catalog,
      Ledger ledger,
      OrderBook orders) {
    RedeemConfig config = infra.settings(RedeemSettings.class).config(infra.site());
    ClaimGuard guard =
        ClaimGuard.wire(config.budget(), config.limited(), config.failuresKept(), infra);
    OrderSources sources = sources(infra, config, new LedgerOrders(ledger, orders));
    RedeemProducts products = new RedeemProducts(infra.postgres(), catalog);
    CodeVault vault = new CodeVault(infra.keys());
    ClaimService.Secrets secrets = new ClaimService.Secrets(infra.keys(), vault);
    Codes codes = codes(infra, config, products, vault);
    ClaimService service =
        new ClaimService(
            config,
            new Verification(
                new PostgresStoredOrders(infra.postgres()), sources, products, infra.clock()),
            new PostgresClaims(infra.postgres()),
            new ClaimService.Checks(new ClaimRisk(risk, account, bans, infra.vertx()), guard),
            infra.audit(),
            secrets,
            infra.clock());
    ClaimRoutes claims = new ClaimRoutes(service, config, new ClaimMeters(infra.metrics()));
    TransferFeature transfer = transfer(infra, config, products, vault);
    AdminGuard admin = new AdminGuard(infra.audit());
    return new Feature(
        Stream.of(
                claims.routes(),
                new CodeRoutes(codes.service(), codes.merchants(), guard.budget(), secrets, config)
                    .routes(),
                new ClaimPages(service, products, config, infra.site().pages(), infra.clock())
                    .routes(),
                new RedeemAdmin(products, service, guard, new CodeAdmin(codes)).routes(admin),
                transfer.routes(admin, new ExportLock(infra.lock())))
            .flatMap(List::stream)
            .toList(),
        List.of(),
        List.of(new Feature.ConsoleSection("codes", "c", SUPPORT, SELLER)),
        _ -> {},
        () -> {
          guard.start();
          codes.upkeep().start();
        },
        () -> {
          transfer.close();
          claims.close();
          codes.upkeep().close();
          sources.close();
          guard.close();
        },
        new RedeemFeature(config, products, service));
  }

  private static OrderSources sources(Infra infra, RedeemConfig config, LedgerOrders own) {
    return new OrderSources(
        own,
        config.orderSystem().url().isEmpty()
            ? null
            : OrderSystem.at(
                config.orderSystem(), config.shapes(), infra.clock(), infra.metrics()));
  }

  private static Codes codes(
      Infra infra, RedeemConfig config, RedeemProducts products, CodeVault vault) {
    Function<String, CodeMask> masks =
        id -> products.find(id).map(config::maskOf).orElseGet(config::mask);
    CodeStrength strength = new CodeStrength(infra.postgres(), masks);
    return new Codes(
        new CodeService(infra.postgres(), vault, masks, infra.clock()),
        strength,
        new MerchantKeys(infra.postgres()),
        new CodeUpkeep(infra.postgres(), vault, strength, infra.clock(), infra.metrics()));
  }

  private static TransferFeature transfer(
      Infra infra, RedeemConfig config, RedeemProducts products, CodeVault vault) {
    return TransferFeature.wire(
        TransferFeature.Config.in(infra.dataDir().resolve("imports")),
        infra.postgres(),
        vault,
        new ImportService.Rules(config.shapes(), id -> products.find(id).isPresent()),
        infra.ids());
  }
}
