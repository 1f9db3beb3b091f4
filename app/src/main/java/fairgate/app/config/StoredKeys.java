package fairgate.app.config;

import fairgate.platform.feature.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.util.Base64;
import java.util.Map;
import java.util.function.Supplier;

/// The keys that `up` creates on its first start and stores in `secrets` of the data folder,
/// readable by the owner only. Configured keys win and are not stored.
public final class StoredKeys {
  private static final String MASTER = "master-secret";

  private final Path folder;

  private StoredKeys(Path folder) {
    this.folder = folder;
  }

  /// The configured keys; missing ones are read from the folder, or created.
  public static FairgateConfig.Keys complete(
      FairgateConfig.Keys configured, Path dataDir, Clock clock) throws IOException {
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    Files.createDirectories(dataDir);
    Path folder = dataDir.resolve("secrets");
    if (!Files.isDirectory(folder)) {
      Files.createDirectory(folder, ownerOnly);
    }
    StoredKeys kept = new StoredKeys(folder);
    SecureRandom random = new SecureRandom();
    return new FairgateConfig.Keys(
        kept.orKept(configured.operatorToken(), "operator-token", () -> token(random)),
        kept.orKept(configured.master(), MASTER, () -> MasterSecret.make(clock, random)));
  }

  /// Whether signing keys are neither configured nor stored, so that `up` would create them.
  public static boolean lacksMaster(FairgateConfig.Keys configured, Path dataDir) {
    return configured.master().isEmpty()
        && !Files.exists(dataDir.resolve("secrets").resolve(MASTER));
  }

  /// Adds a new signing key in front of the stored ones.
  ///
  /// @return whether there were any
  public static boolean rotate(Path dataDir, Clock clock) throws IOException {
    Path file = dataDir.resolve("secrets").resolve(MASTER);
    if (!Files.exists(file)) {
      return false;
    }
    Secret kept = new Secret(Files.readString(file).strip());
    write(file, MasterSecret.rotate(kept, clock, new SecureRandom()));
    return true;
  }

  /// Stores keys from a backup in a new data folder.
  ///
  /// @param keys by the names of their files
  public static void put(Path dataDir, Map<String, String> keys) throws IOException {
    Path folder = dataDir.resolve("secrets");
    Files.createDirectory(
        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    for (Map.Entry<String, String> key : keys.entrySet()) {
      if (!key.getValue().isEmpty()) {
        write(folder.resolve(key.getKey()), key.getValue());
      }
    }
  }

  private Secret orKept(Secret configured, String name, Supplier<String> maker) throws IOException {
    if (!configured.isEmpty()) {
      return configured;
    }
    Path file = folder.resolve(name);
    if (!Files.exists(file)) {
      write(file, maker.get());
    }
    return new Secret(Files.readString(file).strip());
  }

  private static void write(Path file, String text) throws IOException {
    Path draft = Files.createTempFile(file.getParent(), MASTER, "");
    Files.writeString(draft, text + "\n");
    Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
  }

  private static String token(SecureRandom random) {
    byte[] bytes = new byte[24];
    random.nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }
}
