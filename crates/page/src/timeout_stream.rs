//! A connection that does not wait for ever for its client to read.

use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Sleep, sleep};

/// A stream of which a write that waits too long fails, which ends the connection and frees its place.
#[derive(Debug)]
pub(crate) struct TimeoutStream<S> {
    stream: S,
    limit: Duration,
    /// Since the write that waits began to.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl<S> TimeoutStream<S> {
    /// Around a stream.
    pub(crate) fn of(stream: S, limit: Duration) -> Self {
        Self { stream, limit, waiting: None }
    }

    fn judge<T>(&mut self, context: &mut Context<'_>, outcome: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if outcome.is_ready() {
            self.waiting = None;
            return outcome;
        }
        let limit = self.limit;
        let waiting = self.waiting.get_or_insert_with(|| Box::pin(sleep(limit)));
        waiting.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for TimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for TimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.judge(context, outcome)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let outcome = Pin::new(&mut self.stream).poll_write_vectored(context, pieces);
        self.judge(context, outcome)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    #[test]
    fn a_client_that_does_not_read_is_given_up_and_one_that_does_is_not() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (ours, _theirs) = duplex(16);
            let mut patient = TimeoutStream::of(ours, Duration::from_millis(20));
            let failed = patient.write_all(&[1; 64]).await.unwrap_err();
            assert_eq!(failed.kind(), io::ErrorKind::TimedOut);

            let (ours, mut theirs) = duplex(16);
            let mut patient = TimeoutStream::of(ours, Duration::from_secs(60));
            let reading = tokio::spawn(async move {
                let mut bytes = Vec::new();
                theirs.read_to_end(&mut bytes).await.unwrap();
                bytes.len()
            });
            patient.write_all(&[1; 64]).await.unwrap();
            drop(patient);
            assert_eq!(reading.await.unwrap(), 64);
        });
    }
}
