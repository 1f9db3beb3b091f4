/// What has to hold, and whether it did: reads the books, Redis and the journal of replies by
/// itself, with no code of the server it judges.
@NullMarked
@CheckReturnValue
package fairgate.prove.check;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
