package fairgate.prove.fault;

import java.io.IOException;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;

/// The faults that are injected, in the order of their worth. Retry storms, duplicate tabs, tokens
/// used twice and all that payments may do are the crowd's own habits and always on.
public enum Fault {
  NODE_KILL("server killed (-9) under load", 1, NodeFaults::killed),
  NODE_KILL_BEFORE("server killed before the script ran", 1, NodeFaults::killedBefore),
  NODE_KILL_AFTER("server killed after the script, before the reply", 1, NodeFaults::killedAfter),
  CUT_REPLIES("replies cut on their way to the buyer", 1, NodeFaults::repliesCut),
  REDIS_KILL("Redis killed (-9)", 1, RedisFaults::killed),
  SCRIPT_FLUSH("SCRIPT FLUSH", 1, RedisFaults::scriptsFlushed),
  RELAY_KILL("relay killed between commit and acknowledge", 1, RelayFaults::killed),
  POSTGRES_DOWN("PostgreSQL away for a while", 1, PostgresFaults::away),
  POSTGRES_KILL("PostgreSQL killed in the middle of a transaction", 1, PostgresFaults::killed),
  PAUSE("operator pauses and resumes", 1, OperatorFaults::pause),
  PAUSE_AHEAD("operator pauses and resumes a sale that is not due", 1, OperatorFaults::pauseAhead),
  ADD_STOCK("operator adds units, the same key twice", 1, OperatorFaults::addStock),
  RESTART("server restarted gracefully", 1, NodeFaults::restarted),
  LOG_CUT("Redis' log cut behind the last answered write", 1, LogFaults::cut),
  OLD_COPY("an older copy of Redis put back", 1, LogFaults::olderCopy),
  RELAY_HELD("a relay held with entries that Redis then forgets", 2, LogFaults::relayHeld),
  OUT_OF_MEMORY("Redis out of memory", 1, RedisFaults::outOfMemory),
  READ_ONLY("Redis cannot save (MISCONF)", 1, RedisFaults::readOnly),
  DISK_FULL(
      "Redis ended by a full disk, away for a while", Requirement.PRLIMIT, RedisFaults::diskFull),
  CLOCK("a node's clock off by 5 s", 1, NodeFaults::clock),
  BLACKOUT("all nodes dead for a while, schedulers with them", 1, NodeFaults::blackout),
  FRONT_CUT("no request gets to any server, while all of them run", 1, NodeFaults::frontCut),
  TWIN_RELAYS("two relays of one name", 2, RelayFaults::twins),
  PROVIDER_DOWN("the payment provider fails for a while", 1, ProviderFaults::away),
  REFUSED_CALLS("a sale that nobody can serve, asked for without a pause", 1, RefusedCalls::strike),
  FAILOVER(
      "the primary Redis killed, the replica with the most data promoted",
      Requirement.REPLICAS,
      LogFaults::failover),
  SLOT_MOVE("a sale moved to another master", Requirement.CLUSTER, RedisFaults::slotMoved),
  KAFKA_DOWN(
      "Kafka killed with entries taken, away for a while", Requirement.KAFKA, KafkaFaults::away),
  KAFKA_EMPTY(
      "Kafka killed with entries nobody else has, back empty",
      Requirement.KAFKA,
      EmptyKafka::strike),
  KAFKA_CUT("Kafka's answers cut", Requirement.KAFKA, KafkaFaults::repliesCut),
  READER_KILL(
      "server killed between commit and Kafka's offset",
      Requirement.KAFKA,
      KafkaFaults::readerKilled);

  private final String title;
  private final int nodes;
  private final Requirement needs;
  private final FaultAction strike;

  Fault(String title, int nodes, FaultAction strike) {
    this.title = title;
    this.nodes = nodes;
    this.needs = Requirement.NOTHING;
    this.strike = strike;
  }

  Fault(String title, Requirement needs, FaultAction strike) {
    this.title = title;
    this.nodes = 1;
    this.needs = needs;
    this.strike = strike;
  }

  /// An engine or a program that is not always there.
  public enum Requirement {
    NOTHING,
    /// The program of Linux that limits a process.
    PRLIMIT,
    CLUSTER,
    /// A primary with replicas.
    REPLICAS,
    KAFKA
  }

  /// By its name on the command line: `redis-kill`.
  public static Optional<Fault> named(String word) {
    return Arrays.stream(values()).filter(fault -> fault.word().equals(word)).findFirst();
  }

  public String word() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  public String title() {
    return title;
  }

  /// How many nodes it takes.
  public int nodes() {
    return nodes;
  }

  /// The engines that it needs besides one Redis and PostgreSQL.
  public Requirement needs() {
    return needs;
  }

  /// Whether it needs the only Redis' own process or files, so a primary with replicas rules it
  /// out.
  public boolean needsOneRedis() {
    return EnumSet.of(REDIS_KILL, LOG_CUT, OLD_COPY, RELAY_HELD, READ_ONLY, DISK_FULL)
        .contains(this);
  }

  /// Strikes, and returns when everything is up again; whether it hit.
  public boolean strike(FaultContext site) throws IOException, SQLException {
    return strike.at(site);
  }
}
