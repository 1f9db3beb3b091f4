package fairgate.testkit;

import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import kafka.tools.StorageTool;
import org.apache.kafka.common.utils.Time;

/// The main class of the broker's process: formats the folder if it is new, starts Kafka, and exits
/// when the parent process does.
public final class KafkaMain {
  private static final String CLUSTER = "ZmFpcmdhdGUtdGVzdGtpdA";

  private KafkaMain() {}

  /// Begins.
  ///
  /// @param args the settings' file
  public static void main(String[] args) throws IOException {
    PrintStream err = new PrintStream(System.err, true, StandardCharsets.UTF_8);
    int formatted =
        StorageTool.execute(
            new String[] {"format", "--ignore-formatted", "-t", CLUSTER, "-c", args[0]}, err);
    if (formatted != 0) {
      System.exit(formatted);
    }
    Properties settings = new Properties();
    try (Reader file = Files.newBufferedReader(Path.of(args[0]))) {
      settings.load(file);
    }
    new KafkaRaftServer(KafkaConfig.fromProps(settings), Time.SYSTEM).startup();
    System.out.println("ready");
    while (System.in.read() >= 0) {
      // The parent writes nothing; the end of the input is the end of the parent.
    }
    Runtime.getRuntime().halt(0);
  }
}
