package fairgate.app.feature;

import fairgate.account.AccountFeature;
import fairgate.catalog.Catalog;
import fairgate.gate.GateFeature;
import fairgate.gate.ban.BanService;
import fairgate.kernel.OrderDraws;
import fairgate.link.LinkFeature;
import fairgate.link.LinkSettings;
import fairgate.platform.feature.Feature;
import fairgate.queue.JoinGate;
import fairgate.queue.JoinGate.Entrance;
import fairgate.queue.QueueFeature;
import fairgate.room.web.RoomWebFeature;
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
              NoSettings.class,
              it ->
                  RoomWebFeature.start(
                      it.infra(),
                      it.catalog(),
                      it.queue(),
                      it.joins(),
                      it.entrance(),
                      it.orders())),
          new FeatureEntry(
              LinkSettings.class,
              it -> LinkFeature.start(it.infra(), it.account(), it.gate(), it.bans())));

  /// The features that others may need.
  ///
  /// @param joins the checks of joins
  /// @param entrance what visitors pass before sales; a feature may set it before the start
  /// @param orders draws the orders of waiting rooms; likewise
  public record Features(
      Feature.Infra infra,
      AccountFeature account,
      GateFeature gate,
      BanService bans,
      Catalog catalog,
      QueueFeature queue,
      JoinGate joins,
      AtomicReference<Entrance> entrance,
      OrderDraws.Later orders) {}

  /// Of a feature without settings.
  public record NoSettings() {}
}
