package fairgate.platform.embedded;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Path;

/// The folder of the embedded engines' data, and of the logs. Makes no logger: the log
/// configuration names a file in this folder.
public final class DataFolder {
  private DataFolder() {}

  /// Creates the data folder, accessible only to its owner, with a folder for logs. Must be called
  /// before anything is logged there. An existing data folder keeps its permissions.
  ///
  /// @throws EngineFailed when it cannot be made
  public static void prepare(Path dataDir) {
    try {
      Folders.dataFolder(dataDir, new UnixSystem().getUid() == 0);
      Path _ = Folders.ownersOnly(dataDir.resolve("logs"));
    } catch (IOException e) {
      throw new EngineFailed("No permission for " + dataDir + "; choose a folder with --data.", e);
    }
  }
}
