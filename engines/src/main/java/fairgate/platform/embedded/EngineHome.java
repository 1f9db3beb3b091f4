package fairgate.platform.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The folder with the engines' data: `engines` in the data folder. If the engines of root cannot
/// enter that (for example under `/root`), it is a folder under `/var/lib/fairgate`, and `engines`
/// is a link to it.
///
/// @param folder a real path
record EngineHome(Path folder, EngineUser user) {
  private static final Logger LOG = LoggerFactory.getLogger(EngineHome.class);
  private static final Path FALLBACK = Path.of("/var/lib/fairgate");

  /// @param dataDir an existing folder, as a real path
  static EngineHome of(Path dataDir) throws IOException {
    Path engines = dataDir.resolve("engines");
    if (Files.isSymbolicLink(engines) && !Files.isDirectory(engines)) {
      throw new EngineFailed(
          "The engines' data should be in "
              + Files.readSymbolicLink(engines)
              + ", but that folder is gone. Bring it back, or delete the link "
              + engines
              + " to start empty.");
    }
    EngineUser user = EngineUser.choose(engines.resolve("postgres"));
    if (!Files.isDirectory(engines)) {
      open(Files.createDirectory(engines));
    }
    if (!user.reaches(engines.toRealPath())) {
      moveOut(dataDir, engines);
    }
    return new EngineHome(engines.toRealPath(), user);
  }

  /// A subfolder that only the engines' user may enter.
  Path subfolder(String name) throws IOException {
    Path subfolder = folder.resolve(name);
    if (!Files.isDirectory(subfolder)) {
      Files.createDirectory(subfolder);
      close(subfolder);
    }
    if (!Files.isExecutable(subfolder) || !Files.isWritable(subfolder)) {
      throw new EngineFailed(
          subfolder
              + " belongs to another user. Start Fairgate as the user that made it (or as root),"
              + " or give it to yourself with chown -R.");
    }
    return subfolder;
  }

  /// Gives a folder to the engines' user and closes it for all others.
  void close(Path subfolder) throws IOException {
    Files.setPosixFilePermissions(subfolder, PosixFilePermissions.fromString("rwx------"));
    user.own(subfolder);
  }

  private static void moveOut(Path dataDir, Path engines) throws IOException {
    try (Stream<Path> entries = Files.list(engines)) {
      if (entries.findAny().isPresent()) {
        throw new EngineFailed(
            "The engines run as an ordinary user, who can no longer enter "
                + engines.toRealPath()
                + ". Open its parent folders (chmod o+x), or move the data folder.");
      }
    }
    open(Files.createDirectories(FALLBACK));
    Path home = Files.createTempDirectory(FALLBACK, "data-");
    open(home);
    Files.writeString(home.resolve("belongs-to"), dataDir + "\n");
    Files.deleteIfExists(engines);
    Files.createSymbolicLink(engines, home);
    LOG.info("PostgreSQL cannot run as root and others cannot enter {}", dataDir);
    LOG.info("so the engines keep their data in {} ({} links to it)", home, engines);
  }

  private static void open(Path folder) throws IOException {
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
