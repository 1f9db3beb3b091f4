package fairgate.app.logging;

import ch.qos.logback.core.rolling.RollingFileAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/// A rolling log file that only its owner may read. `logback-up.xml` names it.
public final class PrivateFileAppender<E> extends RollingFileAppender<E> {
  @Override
  public void openFile(String file) throws IOException {
    super.openFile(file);
    Files.setPosixFilePermissions(Path.of(file), PosixFilePermissions.fromString("rw-------"));
  }
}
