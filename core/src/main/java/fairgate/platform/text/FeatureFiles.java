package fairgate.platform.text;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// The files that features bring along, found on the class path by their place: `assets`, `api` and
/// `texts.json` in the folder of a feature, `fairgate/<feature>`, and in `web`, which has what all
/// pages share.
public final class FeatureFiles {
  private static final ClassLoader LOADER = FeatureFiles.class.getClassLoader();
  private static final Pattern FILE =
      Pattern.compile("(?:web|fairgate/[a-z]+)/((?:assets|api)/.+|texts[.]json)");

  private static final Set<String> PATHS = find();

  private FeatureFiles() {}

  /// The content of all files of a folder, by name: `assets`.
  public static Map<String, byte[]> in(String folder) {
    Map<String, byte[]> files = new TreeMap<>();
    for (String path : PATHS) {
      Matcher file = FILE.matcher(path);
      if (file.matches() && file.group(1).startsWith(folder + "/")) {
        files.put(file.group(1).substring(folder.length() + 1), read(path));
      }
    }
    return files;
  }

  /// The content of all files of this name, such as `texts.json`, by path.
  public static Map<String, byte[]> named(String name) {
    Map<String, byte[]> files = new TreeMap<>();
    for (String path : PATHS) {
      Matcher file = FILE.matcher(path);
      if (file.matches() && file.group(1).equals(name)) {
        files.put(path, read(path));
      }
    }
    return files;
  }

  private static Set<String> find() {
    Set<String> paths = new TreeSet<>();
    Set<URL> jars = new HashSet<>();
    try {
      for (String top : List.of("web", "fairgate")) {
        for (URL root : Collections.list(LOADER.getResources(top))) {
          if (!(root.openConnection() instanceof JarURLConnection jar)) {
            inFolder(Path.of(root.toURI()), top, paths);
          } else if (jars.add(jar.getJarFileURL())) {
            inJar(jar, paths);
          }
        }
      }
      return paths;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void inJar(JarURLConnection connection, Set<String> paths) throws IOException {
    connection.setUseCaches(false);
    try (JarFile jar = connection.getJarFile()) {
      jar.stream()
          .filter(entry -> !entry.isDirectory() && FILE.matcher(entry.getName()).matches())
          .forEach(entry -> paths.add(entry.getName()));
    }
  }

  /// Only the folders of features are listed: there are many classes.
  private static void inFolder(Path root, String top, Set<String> paths) throws IOException {
    try (Stream<Path> below = top.equals("web") ? Stream.of(root) : Files.list(root)) {
      for (Path home : below.toList()) {
        for (String kind : List.of("assets", "api", "texts.json")) {
          Path folder = home.resolve(kind);
          if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
              files
                  .filter(Files::isRegularFile)
                  .forEach(file -> paths.add(top + "/" + root.relativize(file)));
            }
          }
        }
      }
    }
  }

  /// The content of a file in the folder of a feature: `fairgate/room/web/room.js`.
  public static byte[] read(String path) {
    try (InputStream in = LOADER.getResourceAsStream(path)) {
      if (in == null) {
        throw new IllegalStateException("missing from the jar: " + path);
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
