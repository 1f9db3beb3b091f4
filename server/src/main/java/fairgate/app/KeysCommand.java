package fairgate.app;

import fairgate.app.config.MasterSecret;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// Signing keys.
@Command(name = "keys", description = "Makes signing keys.", synopsisSubcommandLabel = "new")
final class KeysCommand {
  @Spec private @Nullable CommandSpec spec;

  @Command(
      name = "new",
      description = {
        "Prints a new key for master_secret (FAIRGATE_MASTER_SECRET).",
        "To change keys, put the new one in front of the old, separated by a comma, and drop the"
            + " old one when what it signed has expired."
      },
      mixinStandardHelpOptions = true)
  int create() {
    Objects.requireNonNull(spec)
        .commandLine()
        .getOut()
        .println(MasterSecret.make(Clock.systemUTC(), new SecureRandom()));
    return 0;
  }
}
