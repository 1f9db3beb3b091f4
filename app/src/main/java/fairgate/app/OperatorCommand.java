package fairgate.app;

import fairgate.app.command.ConfigOption;
import fairgate.app.command.StartFailed;
import fairgate.app.config.FairgateConfig;
import fairgate.app.config.MasterSecret;
import fairgate.app.config.StoredKeys;
import fairgate.kernel.AuditEvent;
import fairgate.kernel.Caller;
import fairgate.kernel.Role;
import fairgate.operator.access.AccessFeature;
import fairgate.operator.access.OperatorService;
import fairgate.operator.access.OperatorService.AddOutcome;
import fairgate.operator.access.OperatorService.OneTimeLink;
import fairgate.platform.audit.AuditLog;
import fairgate.platform.observe.Metrics;
import fairgate.platform.postgres.PostgresDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// Manages operators without the server, for the first owner and for owners who lost everything.
@Command(
    name = "operator",
    description = "Adds, lists and removes operators of the console.",
    synopsisSubcommandLabel = "(add | link | list | remove)")
final class OperatorCommand {
  private static final String ACTOR = "command line";
  private static final String NODE = "cli";

  @Spec private @Nullable CommandSpec spec;

  /// The server's settings and data.
  static final class DataOptions {
    @Mixin private final ConfigOption config = new ConfigOption();

    @Option(names = "--data", paramLabel = "DIR", description = "Default: ./data.")
    private @Nullable Path data;
  }

  /// The work of a subcommand; it returns the exit code.
  private interface Work {
    int run(OperatorService operators, FairgateConfig settings);
  }

  @Command(
      name = "add",
      description = {
        "Adds an operator, and prints a one-time link.",
        "The link sets password and one-time codes.",
        "On DATABASE_URL, or on the data of `up`, running or not."
      },
      mixinStandardHelpOptions = true)
  int add(
      @Mixin DataOptions server,
      @Parameters(paramLabel = "NAME", description = "3 to 32 letters, digits, . _ and -.")
          String name,
      @Option(
              names = "--role",
              paramLabel = "ROLE",
              required = true,
              description = "checkin, viewer, support, seller or owner.")
          String role)
      throws IOException {
    Role wanted =
        Role.named(role)
            .orElseThrow(
                () -> new StartFailed("--role: one of " + String.join(", ", Role.words())));
    return use(
        server,
        "operator add " + role,
        name,
        (operators, settings) ->
            switch (operators.add(name, wanted, ACTOR)) {
              case AddOutcome.Added(OperatorService.Entry _, OneTimeLink link) ->
                  print(link, settings);
              case AddOutcome.NameTaken() ->
                  throw new StartFailed(
                      "there is an operator " + name + "; `operator link` makes a new link");
              case AddOutcome.NameRefused() ->
                  throw new StartFailed("a name has 3 to 32 letters, digits, . _ and -");
              case AddOutcome.TooMany() ->
                  throw new StartFailed("there are too many operators; remove some first");
            });
  }

  @Command(
      name = "link",
      description = {
        "Prints a new one-time link for an operator.",
        "For one who lost the password or the telephone."
      },
      mixinStandardHelpOptions = true)
  int link(@Mixin DataOptions server, @Parameters(paramLabel = "NAME") String name)
      throws IOException {
    return use(
        server,
        "operator link",
        name,
        (operators, settings) ->
            print(operators.renewLink(find(operators, name).id()).orElseThrow(), settings));
  }

  @Command(name = "list", description = "Lists the operators.", mixinStandardHelpOptions = true)
  int list(@Mixin DataOptions server) throws IOException {
    return use(
        server,
        "",
        "",
        (operators, _) -> {
          PrintWriter out = out();
          operators
              .all()
              .forEach(
                  each ->
                      out.printf(
                          "%-32s %-8s %s%n",
                          each.name(),
                          each.role().word(),
                          each.enrolled()
                              ? "signed in " + each.signedInAt()
                              : "not signed in yet"));
          out.flush();
          return CommandLine.ExitCode.OK;
        });
  }

  @Command(
      name = "remove",
      description = "Removes an operator, and ends its sessions and tokens.",
      mixinStandardHelpOptions = true)
  int remove(@Mixin DataOptions server, @Parameters(paramLabel = "NAME") String name)
      throws IOException {
    return use(
        server,
        "operator remove",
        name,
        (operators, _) ->
            switch (operators.remove(find(operators, name).id())) {
              case DONE -> CommandLine.ExitCode.OK;
              case UNKNOWN -> throw unknown(name);
              case LAST_OWNER ->
                  throw new StartFailed(
                      name + " is the only owner who can sign in; add another owner first");
            });
  }

  private static OperatorService.Entry find(OperatorService operators, String name) {
    return operators.named(name).orElseThrow(() -> unknown(name));
  }

  private static StartFailed unknown(String name) {
    return new StartFailed("there is no operator " + name);
  }

  /// @param what the event of the audit log; empty for none
  private static int use(DataOptions server, String what, String name, Work work)
      throws IOException {
    FairgateConfig given =
        FairgateConfig.of(server.config.read(OfflineDatabase.options(server.data)));
    Optional<Path> folder = OfflineDatabase.folder(given);
    Replaceable parts = Replaceable.real();
    FairgateConfig settings =
        folder.isEmpty()
            ? given
            : given.withKeys(StoredKeys.complete(given.keys(), folder.get(), parts.clock()));
    MasterSecret.problem(settings.keys().master())
        .ifPresent(
            problem -> {
              throw new StartFailed("master_secret: " + problem);
            });
    return OfflineDatabase.use(
        settings,
        database -> {
          database.migrate();
          if (!what.isEmpty()) {
            record(settings, database, parts, what, name);
          }
          return work.run(AccessFeature.offline(database, parts.ids(), parts.clock()), settings);
        });
  }

  private static void record(
      FairgateConfig settings,
      PostgresDatabase database,
      Replaceable parts,
      String what,
      String name) {
    try (AuditLog log =
        AuditLog.open(
            Settings.audit(settings.audit()),
            new AuditLog.Parts(
                database,
                MasterSecret.ring(settings.keys().master()),
                parts.clock(),
                parts.ids(),
                new Metrics(),
                NODE))) {
      log.record(
          new AuditEvent(
              AuditEvent.Kind.ADMIN,
              what,
              Caller.NONE,
              Map.of("operator", ACTOR, "subject", name)));
    }
  }

  private int print(OneTimeLink link, FairgateConfig settings) {
    PrintWriter out = out();
    out.println(base(settings) + link.path());
    out.println("good once, until " + link.expiresAt());
    out.flush();
    return CommandLine.ExitCode.OK;
  }

  /// The address of the console as far as the settings name it.
  private static String base(FairgateConfig settings) {
    FairgateConfig.Server server = settings.server();
    if (server.hasAdminPort()) {
      return Settings.http(settings).url(server.adminPort());
    }
    String configured = settings.signIn().baseUrl();
    return configured.isEmpty()
        ? Settings.http(settings).url(server.port())
        : configured.replaceFirst("/$", "");
  }

  private PrintWriter out() {
    return Objects.requireNonNull(spec).commandLine().getOut();
  }
}
