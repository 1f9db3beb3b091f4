package fairgate.app;

import fairgate.app.client.ClientFailed;
import fairgate.app.client.ExportCodesCommand;
import fairgate.app.client.ImportOrdersCommand;
import fairgate.app.client.TryCommand;
import fairgate.app.client.VerifyDrawCommand;
import fairgate.app.command.FailureText;
import fairgate.app.command.HashPasswordCommand;
import fairgate.app.command.KeysCommand;
import fairgate.app.command.ProveCommand;
import fairgate.app.command.StartFailed;
import fairgate.app.config.ConfigReader;
import fairgate.platform.embedded.EngineFailed;
import fairgate.platform.postgres.PostgresRefusal;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/// The main class. Exit codes: 0 success, 1 failure, 2 wrong usage or configuration.
@Command(
    name = "fairgate",
    description = "A fair, self-hosted gate for sales of scarce things.",
    version = "fairgate " + Main.VERSION,
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      UpCommand.class,
      ServeCommand.class,
      ConfigCommand.class,
      DoctorCommand.class,
      KeysCommand.class,
      ImportOrdersCommand.class,
      ExportCodesCommand.class,
      TryCommand.class,
      RehearseCommand.class,
      ProveCommand.class,
      HashPasswordCommand.class,
      AotTrainingCommand.class,
      AuditCommand.class,
      ExplainCommand.class,
      BackupCommand.class,
      RestoreCommand.class,
      DecisionCommand.class,
      OperatorCommand.class,
      TrainCommand.class,
      VerifyDrawCommand.class,
      WitnessCommand.class,
      HelpCommand.class
    })
public final class Main {
  static final String VERSION = "0.1.0";

  /// Lines of descriptions are as long as those of the sources.
  private static final int HELP_WIDTH = 100;

  private Main() {}

  public static void main(String[] args) {
    System.exit(run(commandLine(), args));
  }

  /// Runs a command, and returns the exit code of the process. An `Error`, such as a class that
  /// cannot be loaded, is one as well: with this thread alone, the others would live on and serve
  /// nothing.
  static int run(CommandLine commandLine, String... args) {
    try {
      return commandLine.execute(args);
    } catch (Error error) {
      error.printStackTrace(commandLine.getErr());
      return CommandLine.ExitCode.SOFTWARE;
    }
  }

  /// The command line with all commands.
  public static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new Main());
    commandLine
        .getSubcommands()
        .values()
        .forEach(each -> each.getCommandSpec().mixinStandardHelpOptions(true));
    return commandLine
        .setUsageHelpWidth(HELP_WIDTH)
        .setExecutionExceptionHandler((failure, command, _) -> explain(failure, command));
  }

  /// Prints a message for failures that an operator can act on, and a stack trace for all others.
  static int explain(Exception failure, CommandLine command) throws Exception {
    return switch (failure) {
      case ConfigReader.Errors errors -> {
        command.getErr().println(errors.getMessage());
        yield CommandLine.ExitCode.USAGE;
      }
      case EngineFailed engine -> {
        command.getErr().println(engine.getMessage());
        yield CommandLine.ExitCode.SOFTWARE;
      }
      case ClientFailed client -> {
        command.getErr().println(client.getMessage());
        yield CommandLine.ExitCode.SOFTWARE;
      }
      case StartFailed start -> {
        command.getErr().println(start.getMessage());
        yield CommandLine.ExitCode.SOFTWARE;
      }
      case PostgresRefusal refusal -> {
        command.getErr().println(FailureText.of(refusal));
        yield CommandLine.ExitCode.SOFTWARE;
      }
      case IOException io -> {
        command.getErr().println(FailureText.of(io));
        yield CommandLine.ExitCode.SOFTWARE;
      }
      case UncheckedIOException io -> {
        command.getErr().println(FailureText.of(Objects.requireNonNull(io.getCause())));
        yield CommandLine.ExitCode.SOFTWARE;
      }
      default -> throw failure;
    };
  }
}
