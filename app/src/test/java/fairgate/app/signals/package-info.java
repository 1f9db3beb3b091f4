/// Tests of signals on a running server.
@NullMarked
package fairgate.app.signals;

import org.jspecify.annotations.NullMarked;
