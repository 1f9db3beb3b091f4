package fairgate.app.feature;

import fairgate.account.AccountFeature;
import fairgate.catalog.Buyers;
import fairgate.catalog.Catalog;
import fairgate.draw.DrawFeature;
import fairgate.draw.DrawSettings;
import fairgate.draw.store.HouseNotes;
import fairgate.gate.GateFeature;
import fairgate.gate.ban.BanService;
import fairgate.gate.policy.PolicyService;
import fairgate.gate.risk.RiskService;
import fairgate.kernel.OrderDraws;
import fairgate.line.LineFeature;
import fairgate.line.LineSettings;
import fairgate.link.LinkFeature;
import fairgate.link.LinkSettings;
import fairgate.platform.feature.Feature;
import fairgate.platform.http.Decisions;
import fairgate.queue.JoinGate;
import fairgate.queue.JoinGate.Entrance;
import fairgate.queue.QueueFeature;
import fairgate.redeem.RedeemFeature;
import fairgate.redeem.RedeemSettings;
import fairgate.room.web.RoomWebFeature;
import fairgate.sale.SaleFeature;
import fairgate.sale.ledger.Ledger;
import fairgate.sale.payment.OrderBook;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
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
  private static final int MAX_STEPS = 500;

  public static final List<FeatureEntry> ALL =
      List.of(
          new FeatureEntry(
              NoSettings.class,
              it ->
                  RoomWebFeature.start(
                      it.infra(),
                      it.catalog(),
                      it.queue(),
                      it.joins(),
                      it.entrance(),
                      it.orderDraws())),
          new FeatureEntry(
              DrawSettings.class,
              it ->
                  DrawFeature.start(
                      it.infra(),
                      it.catalog(),
                      it.buyers(),
                      it.queue(),
                      it.sale(),
                      it.orderDraws()::drawBy,
                      after -> policySteps(it.policies(), after))),
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

  /// The next steps of the risk policy after an id, oldest first, as the log of draws notes them.
  private static List<HouseNotes.Step> policySteps(PolicyService policies, long after) {
    return policies.stepsAfter(after, MAX_STEPS).stream()
        .map(
            step ->
                new HouseNotes.Step(
                    step.id(), step.version(), step.step(), step.sha256(), step.at()))
        .toList();
  }

  /// The features that others may need.
  ///
  /// @param joins the checks of joins
  /// @param entrance what visitors pass before sales; a feature may set it before the start
  /// @param orderDraws draws the orders of waiting rooms; likewise
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
      JoinGate joins,
      AtomicReference<Entrance> entrance,
      OrderDraws.Later orderDraws,
      List<Feature> started) {
    <T> T started(Class<T> type) {
      return Feature.service(started, type).orElseThrow();
    }
  }

  /// Of a feature without settings.
  public record NoSettings() {}
}
