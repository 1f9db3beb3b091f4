package fairgate.app.command;

import fairgate.account.AccountConfig;
import fairgate.account.Passwords;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/// `hash-password`: prints the Argon2id hash of a password from the terminal or standard input. It
/// is not an argument, because every user of the machine could read that.
@Command(
    name = "hash-password",
    description = {
      "Prints the Argon2id hash (PHC string) of a password.",
      "Asks for it, or takes the first line of standard input."
    })
public final class HashPasswordCommand implements Callable<Integer> {
  @Spec private @Nullable CommandSpec spec;

  @Override
  public Integer call() throws IOException {
    CommandLine line = Objects.requireNonNull(spec).commandLine();
    Optional<String> hash = Passwords.hash(password(), AccountConfig.defaults().hashing());
    if (hash.isEmpty()) {
      line.getErr().println("a password has 8 to 128 characters");
      return CommandLine.ExitCode.USAGE;
    }
    line.getOut().println(hash.get());
    return CommandLine.ExitCode.OK;
  }

  private static String password() throws IOException {
    Optional<Console> console = Optional.ofNullable(System.console()).filter(Console::isTerminal);
    if (console.isPresent()) {
      char[] typed = console.get().readPassword("Password: ");
      return typed == null ? "" : new String(typed);
    }
    BufferedReader reader =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    String first = reader.readLine();
    return first == null ? "" : first;
  }
}
