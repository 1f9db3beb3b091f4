/// LINE on loopback: the Messaging API, a sender of webhooks, a chat page, and weather to talk
/// about. For tests, and on its own as `./fairgate line-sandbox`.
@NullMarked
@CheckReturnValue
package fairgate.testkit.line;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
