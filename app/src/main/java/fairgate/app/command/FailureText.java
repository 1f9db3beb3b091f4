package fairgate.app.command;

import fairgate.platform.postgres.PostgresRefusal;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/// Describes failures of files and of PostgreSQL in terms that an operator can act on.
public final class FailureText {
  private FailureText() {}

  public static String of(IOException failure) {
    if (!(failure instanceof FileSystemException file) || file.getFile() == null) {
      String message = failure.getMessage();
      return message == null ? failure.toString() : message;
    }
    String name = file.getFile();
    return switch (file) {
      case AccessDeniedException _ -> name + ": this user may not read or write it";
      case NoSuchFileException _ -> name + ": there is no such file or folder";
      case FileAlreadyExistsException _ -> name + ": is there already, and is no folder";
      case NotDirectoryException _ -> name + ": is no folder";
      default -> name + ": " + (file.getReason() == null ? "cannot be used" : file.getReason());
    };
  }

  public static String of(PostgresRefusal refusal) {
    String said = "PostgreSQL: " + refusal.getMessage();
    // Data or an index on disk are corrupted.
    return refusal.sqlState().startsWith("XX")
        ? said
            + "\n"
            + "The database is damaged. Stop everything, copy the data, and restore a backup; check"
            + " the disk and the memory of this machine."
        : said;
  }
}
