package fairgate.platform.embedded;

import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.Optional;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;
import org.jspecify.annotations.Nullable;

/// The programs of the engines for this machine, unpacked from the jar once per version.
///
/// @param redis the bundled program
/// @param postgres a folder with `bin`, `lib` and `share`
record EnginePrograms(RedisProgram redis, Path postgres) {
  private static final RedisRelease BUNDLED_REDIS = new RedisRelease("Redis", 7, 0, 15);

  /// Unpacks missing programs into the cache. Several processes may do so at the same time: each
  /// unpacks into a folder of its own, and the first to finish renames it to the final name.
  static EnginePrograms unpack(Path cache) throws IOException {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    boolean mac = os.contains("mac");
    boolean arm = arch.equals("aarch64") || arch.equals("arm64");
    if (!(mac || os.contains("linux")) || !(arm || arch.equals("amd64") || arch.equals("x86_64"))) {
      throw new EngineFailed(
          "There are no embedded engines for "
              + (os + " on " + arch)
              + "; use `serve` with REDIS_URL and DATABASE_URL.");
    }
    String redis =
        "redis-server-7.0.15-" + (mac ? "darwin-" : "linux-") + (arm ? "arm64" : "amd64");
    String postgres =
        "postgres-" + (mac ? "darwin-" : "linux-") + (arm ? "arm_64" : "x86_64") + ".txz";
    Path redisFolder = unpack(cache, redis, EnginePrograms::copyProgram);
    return new EnginePrograms(
        new RedisProgram(redisFolder.resolve("redis-server"), BUNDLED_REDIS, true),
        unpack(cache, postgres, EnginePrograms::untar));
  }

  /// The user's cache folder; a folder in the data folder if the user has no writable one.
  static Path cache(Optional<Path> chosen, Path dataDir, EngineUser user) throws IOException {
    if (chosen.isPresent()) {
      return Files.createDirectories(chosen.get());
    }
    try {
      Path cache = Files.createDirectories(userCache(user));
      if (Files.isWritable(cache) && user.reaches(cache)) {
        return cache;
      }
    } catch (FileSystemException _) {
      // The user has no home folder.
    }
    return Files.createDirectories(dataDir.resolve("cache"));
  }

  private static Path userCache(EngineUser user) {
    if (user.switched()) {
      return Path.of("/var/cache/fairgate");
    }
    @Nullable String xdg = System.getenv("XDG_CACHE_HOME");
    Path home = Path.of(System.getProperty("user.home"));
    if (xdg != null && !xdg.isBlank()) {
      return Path.of(xdg, "fairgate");
    }
    boolean mac = Files.isDirectory(home.resolve("Library/Caches"));
    return home.resolve(mac ? "Library/Caches/fairgate" : ".cache/fairgate");
  }

  @FunctionalInterface
  private interface Unpacking {
    void unpack(InputStream resource, Path folder) throws IOException;
  }

  private static Path unpack(Path cache, String resource, Unpacking unpacking) throws IOException {
    URL url = EnginePrograms.class.getResource("/" + resource);
    if (url == null || !(url.openConnection() instanceof JarURLConnection jar)) {
      throw new EngineFailed(
          "The embedded engines are missing: "
              + resource
              + " is in a jar of the folder `engines` beside the server's jar. Build it again, or use"
              + " `serve` with REDIS_URL and DATABASE_URL.");
    }
    String checksum = Long.toHexString(jar.getJarEntry().getCrc());
    Path folder = cache.resolve(resource.replace(".txz", "") + "-" + checksum);
    if (Files.isDirectory(folder)) {
      return folder;
    }
    Path draft = Files.createTempDirectory(cache, "unpacking-");
    try (InputStream in = jar.getInputStream()) {
      unpacking.unpack(in, draft);
      Files.setPosixFilePermissions(draft, PosixFilePermissions.fromString("rwxr-xr-x"));
      Files.move(draft, folder);
    } catch (FileSystemException e) {
      Folders.delete(draft);
      if (!Files.isDirectory(folder)) {
        throw e;
      }
    }
    return folder;
  }

  private static void copyProgram(InputStream program, Path folder) throws IOException {
    Path target = folder.resolve("redis-server");
    Files.copy(program, target);
    Files.setPosixFilePermissions(target, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private static void untar(InputStream packed, Path folder) throws IOException {
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(new XZCompressorInputStream(packed))) {
      for (TarArchiveEntry entry; (entry = tar.getNextEntry()) != null; ) {
        Path target = folder.resolve(entry.getName()).normalize();
        if (!target.startsWith(folder)) {
          throw new IOException("the archive leaves its folder: " + entry.getName());
        }
        place(tar, entry, target);
      }
    }
  }

  private static void place(TarArchiveInputStream tar, TarArchiveEntry entry, Path target)
      throws IOException {
    if (entry.isDirectory()) {
      makeFolder(target);
      return;
    }
    makeFolder(target.getParent());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
      return;
    }
    Files.copy(tar, target);
    boolean program = (entry.getMode() & 0100) != 0;
    Files.setPosixFilePermissions(
        target, PosixFilePermissions.fromString(program ? "rwxr-xr-x" : "rw-r--r--"));
  }

  /// Readable for the engines' user, regardless of our umask.
  private static void makeFolder(@Nullable Path folder) throws IOException {
    if (folder == null || Files.isDirectory(folder)) {
      return;
    }
    makeFolder(folder.getParent());
    Files.createDirectory(folder);
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
  }
}
