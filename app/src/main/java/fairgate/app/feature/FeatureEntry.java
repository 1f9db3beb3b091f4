package fairgate.app.feature;

import fairgate.account.AccountFeature;
import fairgate.gate.GateFeature;
import fairgate.gate.ban.BanService;
import fairgate.link.LinkFeature;
import fairgate.link.LinkSettings;
import fairgate.platform.feature.Feature;
import java.util.List;
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
              LinkSettings.class,
              it -> LinkFeature.start(it.infra(), it.account(), it.gate(), it.bans())));

  /// The features that others may need.
  public record Features(
      Feature.Infra infra, AccountFeature account, GateFeature gate, BanService bans) {}
}
