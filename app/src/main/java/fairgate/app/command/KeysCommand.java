package fairgate.app.command;

import fairgate.app.config.FairgateConfig;
import fairgate.app.config.MasterSecret;
import fairgate.app.config.StoredKeys;
import fairgate.platform.feature.Secret;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// Signing keys.
@Command(
    name = "keys",
    description = "Makes signing keys.",
    synopsisSubcommandLabel = "(new | rotate)")
public final class KeysCommand {
  @Spec private @Nullable CommandSpec spec;

  @Command(
      name = "new",
      description = {
        "Prints a new key for master_secret (FAIRGATE_MASTER_SECRET).",
        "To change keys, see `keys rotate`."
      },
      mixinStandardHelpOptions = true)
  int create() {
    out(MasterSecret.make(Clock.systemUTC(), new SecureRandom()));
    return 0;
  }

  @Command(
      name = "rotate",
      description = {
        "Puts a new signing key in front of the old ones.",
        "These are the keys that `up` keeps in its data folder. Where master_secret is configured,",
        "its new value is printed.",
        "Start every node again. Codes are then sealed under the new key by themselves; drop the"
            + " old one when fairgate_redeem_codes_under_old_keys is 0 and what it signed has"
            + " expired."
      },
      mixinStandardHelpOptions = true)
  int rotate(
      @Mixin ConfigOption config,
      @Option(names = "--data", paramLabel = "DIR", description = "Default: ./data.")
          @Nullable Path data)
      throws IOException {
    Map<String, String> options = data == null ? Map.of() : Map.of("data_dir", data.toString());
    FairgateConfig settings = FairgateConfig.of(config.read(options));
    Secret configured = settings.keys().master();
    if (!configured.isEmpty()) {
      MasterSecret.problem(configured)
          .ifPresent(
              problem -> {
                throw new StartFailed("master_secret: " + problem);
              });
      out(MasterSecret.rotate(configured, Clock.systemUTC(), new SecureRandom()));
      return 0;
    }
    if (!StoredKeys.rotate(settings.dataDir(), Clock.systemUTC())) {
      throw new StartFailed(
          "there are no keys in " + settings.dataDir() + "; `up` makes them on its first start");
    }
    out("A new key signs after the next start of `up`; the old ones still verify.");
    return 0;
  }

  private void out(String text) {
    Objects.requireNonNull(spec).commandLine().getOut().println(text);
  }
}
