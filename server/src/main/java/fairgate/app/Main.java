package fairgate.app;

import fairgate.app.client.ClientFailed;
import fairgate.app.client.ExportCodesCommand;
import fairgate.app.client.ImportOrdersCommand;
import fairgate.app.command.ConfigCommand;
import fairgate.app.command.HashPasswordCommand;
import fairgate.app.command.KeysCommand;
import fairgate.app.command.ProveCommand;
import fairgate.app.command.StartFailed;
import fairgate.app.config.ConfigErrors;
import fairgate.platform.embedded.EngineFailed;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;

/// The program. Exit codes: 0 done, 1 failed, 2 wrong usage or configuration.
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
      RehearseCommand.class,
      ProveCommand.class,
      HashPasswordCommand.class,
      AuditCommand.class,
      HelpCommand.class
    })
public final class Main {
  static final String VERSION = "0.1.0";

  private Main() {}

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /// The commands, ready to be run with arguments.
  public static CommandLine commandLine() {
    CommandLine commandLine = new CommandLine(new Main());
    commandLine
        .getSubcommands()
        .values()
        .forEach(each -> each.getCommandSpec().mixinStandardHelpOptions(true));
    return commandLine.setExecutionExceptionHandler(
        (failure, command, _) -> explain(failure, command));
  }

  /// What an operator can act on is told in words; only the unexpected has a stack trace.
  private static int explain(Exception failure, CommandLine command) throws Exception {
    return switch (failure) {
      case ConfigErrors errors -> {
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
      default -> throw failure;
    };
  }
}
