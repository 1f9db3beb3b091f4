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
import fairgate.link.LinkFeature;
import fairgate.link.LinkSettings;
import fairgate.platform.feature.Feature;
import fairgate.queue.QueueFeature;
import fairgate.room.RoomFeature;
import fairgate.sale.SaleFeature;
import fairgate.sale.deposit.DepositFeature;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/// A feature of which the server knows no more than its entry here. Who deletes the folder of the
/// feature deletes its entry, and has deleted the feature.
///
/// @param settings its settings
/// @param starting connects it with the features that it needs
public record FeatureEntry(Class<? extends Record> settings, Function<Features, Feature> starting) {
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
                      it.entries()::set,
                      it.rooms()::drawBy,
                      after ->
                          it.policies().stepsAfter(after, 500).stream()
                              .map(
                                  step ->
                                      new HouseNotes.Step(
                                          step.id(),
                                          step.version(),
                                          step.step(),
                                          step.sha256(),
                                          step.at()))
                              .toList())),
          new FeatureEntry(
              LinkSettings.class,
              it -> LinkFeature.start(it.infra(), it.account(), it.gate(), it.bans())));

  /// The features that others may need.
  ///
  /// @param entries who may pay a deposit to enter a draw; a feature may set it before the start
  public record Features(
      Feature.Infra infra,
      AccountFeature account,
      GateFeature gate,
      BanService bans,
      PolicyService policies,
      Catalog catalog,
      Buyers buyers,
      QueueFeature queue,
      SaleFeature sale,
      AtomicReference<DepositFeature.EntryCheck> entries,
      RoomFeature rooms) {}
}
