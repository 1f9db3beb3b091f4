package fairgate.app.feature;

import fairgate.account.AccountFeature;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.draw.DrawFeature;
import fairgate.draw.DrawSettings;
import fairgate.gate.GateFeature;
import fairgate.gate.ban.BanService;
import fairgate.gate.policy.PolicyService;
import fairgate.gate.risk.RiskService;
import fairgate.line.LineFeature;
import fairgate.line.LineSettings;
import fairgate.link.LinkFeature;
import fairgate.link.LinkSettings;
import fairgate.platform.feature.Feature;
import fairgate.platform.http.Decisions;
import fairgate.queue.QueueFeature;
import fairgate.redeem.RedeemFeature;
import fairgate.redeem.RedeemSettings;
import fairgate.room.RoomFeature;
import fairgate.sale.SaleFeature;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.payment.OrderBook;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/// A feature of which the server knows no more than its entry here. Who deletes the folder of the
/// feature deletes its entry, and has deleted the feature.
///
/// @param settings its settings
/// @param formats how to read settings of types that only this feature has
/// @param starting connects it with the features that it needs
public record FeatureEntry(
    Class<? extends Record> settings,
    Map<Class<?>, Function<String, Object>> formats,
    Function<Features, Feature> starting) {
  public static final List<FeatureEntry> ALL =
      List.of(
          new FeatureEntry(
              DrawSettings.class,
              it ->
                  DrawFeature.start(
                      it.infra(),
                      it.catalog(),
                      it.buyers(),
                      it.queue(),
                      it.sale(),
                      it.rooms(),
                      it.policies())),
          new FeatureEntry(
              RedeemSettings.class,
              RedeemSettings.FORMATS,
              it ->
                  RedeemFeature.start(
                      it.infra(),
                      it.account(),
                      it.bans(),
                      it.risk(),
                      it.catalog(),
                      it.ledger(),
                      it.orders())),
          new FeatureEntry(
              LinkSettings.class,
              it -> LinkFeature.start(it.infra(), it.account(), it.gate(), it.bans())),
          new FeatureEntry(
              LineSettings.class,
              it ->
                  LineFeature.start(
                      it.infra(),
                      it.bans(),
                      it.decisions(),
                      it.queue(),
                      it.sale(),
                      it.started(RedeemFeature.class))));

  public FeatureEntry {
    formats = Map.copyOf(formats);
  }

  private FeatureEntry(Class<? extends Record> settings, Function<Features, Feature> starting) {
    this(settings, Map.of(), starting);
  }

  /// The features that others may need.
  ///
  /// @param started those of the entries above
  public record Features(
      Feature.Infra infra,
      AccountFeature account,
      GateFeature gate,
      BanService bans,
      PolicyService policies,
      RiskService risk,
      Catalog catalog,
      Buyers buyers,
      Ledger ledger,
      OrderBook orders,
      Decisions decisions,
      QueueFeature queue,
      SaleFeature sale,
      RoomFeature rooms,
      List<Feature> started) {
    <T> T started(Class<T> type) {
      return Feature.service(started, type).orElseThrow();
    }
  }
}
